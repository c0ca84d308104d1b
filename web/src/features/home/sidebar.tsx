import type { ChannelState, Group } from "@fanfare/contract";
import { useState } from "react";
import { ChannelList } from "../channels/channel-list.tsx";
import { ConnectionStatus } from "../connection/connection-status.tsx";
import { CreateGroup } from "../groups/create-group.tsx";
import { GroupList } from "../groups/group-list.tsx";
import { useOwnUser } from "../session/client-context.ts";
import { logOut } from "../session/session-store.ts";

interface SidebarProps {
  groups: readonly Group[] | null;
  channels: readonly ChannelState[] | null;
  group: Group | undefined;
  channelId: string | undefined;
}

export function Sidebar({ groups, channels, group, channelId }: SidebarProps) {
  const user = useOwnUser();
  return (
    <aside className="sidebar">
      <div className="sidebar-lists">
        <h2>Groups</h2>
        <GroupList groups={groups ?? []} groupId={group?.id} />
        {groups !== null && groups.length > 0 && <AnotherGroup />}
        {group !== undefined && (
          <>
            <h2>Channels</h2>
            <ChannelList key={group.id} group={group} channels={channels ?? []} channelId={channelId} />
          </>
        )}
      </div>
      <footer className="sidebar-foot">
        <div>
          <p className="own-name">{user?.nickname}</p>
          <ConnectionStatus />
        </div>
        <button type="button" onClick={() => void logOut()}>
          Log out
        </button>
      </footer>
    </aside>
  );
}

function AnotherGroup() {
  const [asking, setAsking] = useState(false);
  if (asking) return <CreateGroup onDone={() => setAsking(false)} onCancel={() => setAsking(false)} />;
  return (
    <button className="quiet" type="button" onClick={() => setAsking(true)}>
      + New group
    </button>
  );
}
