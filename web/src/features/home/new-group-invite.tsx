import type { Group } from "@fanfare/contract";
import { offerInvite, useIsNewGroup } from "../groups/new-group.ts";
import { InviteDialog } from "../invites/invite-dialog.tsx";

/** Once, after a group was made: the link to get others in. */
export function NewGroupInvite({ group }: { group: Group }) {
  if (!useIsNewGroup(group.id)) return null;
  return <InviteDialog group={group} onClose={() => offerInvite(null)} />;
}
