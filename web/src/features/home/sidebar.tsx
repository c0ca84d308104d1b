import { useLocation } from "wouter";
import { directPath } from "../../routes.ts";
import { DirectsSidebar } from "../directs/directs-sidebar.tsx";
import { GroupSidebar } from "../groups/group-sidebar.tsx";
import { UserMenu } from "../shell/user-menu.tsx";

interface SidebarProps {
  groupId: string | undefined;
  channelId: string | undefined;
}

/** The channels of the group, or the direct ones where there is none; and oneself. */
export function Sidebar({ groupId, channelId }: SidebarProps) {
  const [path] = useLocation();
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col">
        {groupId === undefined || path.startsWith(directPath()) ? (
          <DirectsSidebar />
        ) : (
          <GroupSidebar key={groupId} groupId={groupId} channelId={channelId} />
        )}
      </div>
      <UserMenu />
    </>
  );
}
