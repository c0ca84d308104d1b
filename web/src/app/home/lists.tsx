import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import {
  Activity,
  Circle,
  CircleDashed,
  CircleMinus,
  CircleQuestionMark,
  Clock,
  ChevronsUpDown,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Settings,
  ShieldCheck,
  SmilePlus,
  Sun,
} from "lucide-react";
import { GroupRail } from "../../groups/group-rail.tsx";
import { GroupSidebar } from "../../groups/group-sidebar.tsx";
import { DirectsSidebar } from "../../people/directs/directs-sidebar.tsx";
import { directPath, adminPath, settingsPath, statusPath, USER_GUIDE } from "../../routes.ts";
import { later, lazy } from "../../shared/later.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { useIsPhone } from "../../ui/hooks.ts";
import { useShell } from "../shell/page-header.tsx";
import { InCall, ListColumns } from "./main-layout.tsx";
import { useConnectionState } from "../../data/data-context.ts";
import { useMe } from "../../data/me.ts";
import { useOpenDirectReports } from "../../data/review-queues.ts";
import { type OwnStatus, useOwnStatus } from "../../data/presence.ts";
import { type Preferences, setPreferences, usePreferences } from "../../state/preferences.ts";
import { Avatar, CountBadge } from "../../ui/display.tsx";
import { openConfirm, openDialog } from "../../ui/open-dialog.tsx";
import { cx } from "../../ui/cx.ts";
import { Menu, type MenuList } from "../../ui/menu.tsx";
import { logOut } from "../../session/session-store.ts";
import { CustomStatusMark } from "../../people/members/user-name.tsx";
import { showFailure } from "../../ui/feedback.tsx";
import { useCall } from "../../data/call.ts";

const CallBar = later(async () => (await import("../../calls/call-bar.tsx")).CallBar);

interface ListsProps {
  groupId: string | undefined;
  channelId: string | undefined;
}

/** The groups, and the channels or direct messages. On phones in a drawer. */
export function Lists({ groupId, channelId }: ListsProps) {
  const { t } = useTranslation("shell");
  const isPhone = useIsPhone();
  const { drawerAt, setDrawerAt } = useShell();
  const [path] = useLocation();
  /** A link to the open page doesn't change the path. */
  const closeByLink = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest("a") !== null) setDrawerAt(null);
  };
  const lists = (
    <ListColumns rail={<GroupRail />} sidebar={<Sidebar groupId={groupId} channelId={channelId} />} />
  );
  if (!isPhone) return lists;
  return (
    <Drawer open={drawerAt === path} onClose={() => setDrawerAt(null)} label={t("lists")}>
      <div className="contents" onClickCapture={closeByLink}>
        {lists}
      </div>
    </Drawer>
  );
}

function Sidebar({ groupId, channelId }: ListsProps) {
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
      <InCall bar={CallBar} />
      <UserMenu />
    </>
  );
}

const STATUSES: { status: OwnStatus; icon: LucideIcon }[] = [
  { status: "online", icon: Circle },
  { status: "idle", icon: Clock },
  { status: "doNotDisturb", icon: CircleMinus },
  { status: "invisible", icon: CircleDashed },
];
const THEMES: { theme: Preferences["theme"]; icon: LucideIcon }[] = [
  { theme: "system", icon: Monitor },
  { theme: "light", icon: Sun },
  { theme: "dark", icon: Moon },
];

const CustomStatusDialog = lazy(
  async () => (await import("../shell/custom-status-dialog.tsx")).CustomStatusDialog,
);

function UserMenu() {
  const { t } = useTranslation("shell");
  const me = useMe();
  const { data: ownStatus = "online" } = useOwnStatus();
  const openReports = useOpenDirectReports();
  return (
    <footer className="shrink-0 border-t border-line p-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
      <Menu
        side="top"
        align="start"
        items={useItems(ownStatus)}
        trigger={
          <button
            type="button"
            className="flex w-full items-center gap-2.5 rounded-md p-1.5 text-start transition-colors hover:bg-hover data-popup-open:bg-hover"
          >
            <Avatar
              name={me.nickname}
              id={me.id}
              src={me.avatarUrl}
              size={34}
              status={ownStatus === "invisible" ? "offline" : ownStatus}
            />
            <span className="min-w-0 flex-1 leading-tight">
              <span className="flex items-center gap-1.5 text-sm font-semibold">
                <span className="truncate">
                  <span className="sr-only">{t("you")} </span>
                  {me.nickname}
                </span>
                <CustomStatusMark user={me} />
              </span>
              <ConnectionStatus />
            </span>
            <CountBadge count={openReports} label={t("groups:reports.open", { count: openReports })} />
            <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-muted" />
          </button>
        }
      />
    </footer>
  );
}

function useItems(ownStatus: OwnStatus): MenuList {
  const { t } = useTranslation("shell");
  const [, navigate] = useLocation();
  const { admin, kind } = useMe();
  const theme = usePreferences((preferences) => preferences.theme);
  const call = useCall();
  const setStatus = () => openDialog((onClose) => <CustomStatusDialog onClose={onClose} />);
  // Guests can't log in again, so logging out loses the account.
  const askGuest = () =>
    openConfirm({
      danger: true,
      title: t("session:guestLogout.title"),
      children: t("session:guestLogout.text"),
      action: t("session:guestLogout.action"),
      onConfirm: logOut,
    });
  return [
    ...STATUSES.map(({ status, icon }) => ({
      label: t(`members:status.${status}`),
      icon,
      checked: status === ownStatus,
      onSelect: () => void call("presence.setStatus", { status }).catch(showFailure),
    })),
    { label: t("customStatus.open"), icon: SmilePlus, onSelect: setStatus },
    "separator",
    ...THEMES.map(({ theme: one, icon }) => ({
      label: t(`session:theme.${one}`),
      icon,
      checked: theme === one,
      onSelect: () => setPreferences({ theme: one }),
    })),
    "separator",
    { label: t("common:settings"), icon: Settings, onSelect: () => navigate(settingsPath()) },
    {
      label: t("help"),
      icon: CircleQuestionMark,
      onSelect: () => void window.open(USER_GUIDE, "_blank", "noopener"),
    },
    { label: t("status"), icon: Activity, onSelect: () => navigate(statusPath()) },
    admin && { label: t("admin"), icon: ShieldCheck, onSelect: () => navigate(adminPath()) },
    "separator",
    { label: t("logOut"), icon: LogOut, onSelect: () => (kind === "guest" ? askGuest() : void logOut()) },
  ];
}

function ConnectionStatus() {
  const { t } = useTranslation("shell");
  const state = useConnectionState();
  return (
    <span className="flex items-center gap-1.5 text-xs text-muted">
      <span
        aria-hidden
        className={cx("size-2 shrink-0 rounded-full", state === "online" ? "bg-good" : "bg-warn")}
      />
      {t(`state.${state === "closed" ? "offline" : state}`)}
    </span>
  );
}
