import { GroupSidebar } from "../groups/group-sidebar.tsx";
import { UserMenu } from "../shell/user-menu.tsx";

interface SidebarProps {
  groupId: string | undefined;
  channelId: string | undefined;
}

/** The channels of the group, and oneself. */
export function Sidebar({ groupId, channelId }: SidebarProps) {
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col">
        {groupId !== undefined && <GroupSidebar key={groupId} groupId={groupId} channelId={channelId} />}
      </div>
      <UserMenu />
    </>
  );
}
