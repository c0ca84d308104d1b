import type { Group } from "@fanfare/contract";
import { LogOut } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../../ui/avatar.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ChannelList } from "./channel-list.tsx";
import { useMe } from "../../data/me.ts";
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
      {group !== undefined && (
        <p className="flex min-h-13 shrink-0 items-center border-b border-line px-4 font-semibold">
          <span className="truncate">{group.name}</span>
        </p>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto">
        {group !== undefined && <ChannelList key={group.id} group={group} channelId={channelId} />}
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
