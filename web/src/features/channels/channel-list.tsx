import type { ChannelState, Group } from "@fanfare/contract";
import { useState } from "react";
import { Link } from "../../shared/link.tsx";
import { NameForm } from "../../shared/name-form.tsx";
import { channelPath, navigate } from "../../shared/route.ts";
import { useClient, useOwnUser } from "../session/client-context.ts";

interface ChannelListProps {
  group: Group;
  channels: readonly ChannelState[];
  channelId: string | undefined;
}

export function ChannelList({ group, channels, channelId }: ChannelListProps) {
  const user = useOwnUser();
  return (
    <nav aria-label={`Channels of ${group.name}`}>
      <ul className="entries">
        {channels.map((channel) => (
          <li key={channel.id}>
            <ChannelEntry
              channel={channel}
              path={channelPath(group.id, channel.id)}
              isShown={channel.id === channelId}
            />
          </li>
        ))}
      </ul>
      {group.ownerId === user?.id && <CreateChannel groupId={group.id} />}
    </nav>
  );
}

function ChannelEntry({ channel, path, isShown }: { channel: ChannelState; path: string; isShown: boolean }) {
  const unread = isShown ? 0 : Math.max(0, channel.head.seq - channel.lastReadSeq);
  return (
    <Link className="entry" href={path} aria-current={isShown ? "page" : undefined}>
      <span aria-hidden="true" className="hash">
        #
      </span>
      <span className="entry-name">{channel.name}</span>
      {unread > 0 && (
        <span className="unread" aria-label={`${unread} unread`}>
          {unread > 99 ? "99+" : unread}
        </span>
      )}
    </Link>
  );
}

function CreateChannel({ groupId }: { groupId: string }) {
  const client = useClient();
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return (
      <button className="quiet" type="button" onClick={() => setAsking(true)}>
        + New channel
      </button>
    );
  }
  const create = async (name: string): Promise<void> => {
    const { channel } = await client.call("channel.create", { groupId, name });
    setAsking(false);
    navigate(channelPath(groupId, channel.id));
  };
  return (
    <NameForm
      label="Name of the channel"
      action="Create channel"
      onSubmit={create}
      onCancel={() => setAsking(false)}
    />
  );
}
