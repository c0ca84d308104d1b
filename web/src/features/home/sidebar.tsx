import type { Group } from "@fanfare/contract";
import { LogOut } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../../ui/avatar.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useMe } from "../../data/me.ts";
import { GroupSidebar } from "../groups/group-sidebar.tsx";
import { logOut } from "../session/session-store.ts";
import { ConnectionStatus } from "../shell/connection-status.tsx";

interface SidebarProps {
  group: Group | undefined;
  channelId: string | undefined;
}

/** The channels of the group, and oneself. */
export function Sidebar({ group, channelId }: SidebarProps) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-0 flex-1 flex-col">
        {group !== undefined && <GroupSidebar key={group.id} groupId={group.id} channelId={channelId} />}
      </div>
      <Oneself />
    </div>
  );
}

function Oneself() {
  const { t } = useTranslation("session");
  const user = useMe();
  return (
    <footer className="flex shrink-0 items-center gap-2.5 border-t border-line px-3 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
      <Avatar name={user.nickname} id={user.id} />
      <div className="min-w-0 flex-1 leading-tight">
        <p className="truncate text-sm font-semibold">{user.nickname}</p>
        <ConnectionStatus />
      </div>
      <IconButton icon={LogOut} label={t("logOut")} onClick={() => void logOut()} />
    </footer>
  );
}
