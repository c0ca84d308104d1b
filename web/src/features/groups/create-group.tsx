import { NameForm } from "../../shared/name-form.tsx";
import { channelPath, groupPath, navigate } from "../../shared/route.ts";
import { useClient } from "../session/client-context.ts";

/** Makes a group and goes to its first channel. */
export function CreateGroup({ onDone, onCancel }: { onDone?: () => void; onCancel?: () => void }) {
  const client = useClient();
  const create = async (name: string): Promise<void> => {
    const { group, channels } = await client.call("group.create", { name });
    onDone?.();
    const first = channels[0];
    navigate(first === undefined ? groupPath(group.id) : channelPath(group.id, first.id));
  };
  return <NameForm label="Name of the group" action="Create group" onSubmit={create} onCancel={onCancel} />;
}
