import {
  Bell,
  CheckCheck,
  ChevronDown,
  Flag,
  FolderPlus,
  Hash,
  LogOut,
  Plus,
  Settings,
  ShieldAlert,
  UserPlus,
  UserRoundPlus,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Group } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { Link, useLocation } from "wouter";
import { useCanInGroup, useGroup, useMyPermissions } from "../data/groups.ts";
import { useLockdown, useOpenJoinRequests, useOpenReports } from "../data/review-queues.ts";
import { IconButton } from "../ui/button.tsx";
import { Skeleton, SkeletonRows, showFailure } from "../ui/feedback.tsx";
import { ChannelList } from "./channels/channel-list.tsx";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";
import { groupChannelsPath, groupSettingsPath, landingPath } from "../routes.ts";
import { Menu, type MenuList } from "../ui/menu.tsx";
import { hasGroupSettings } from "./group-settings/sections.ts";
import { openConfirm } from "../ui/open-dialog.tsx";
import { type GroupDialog, openGroupDialog } from "./open-group-dialog.tsx";
import { formatTime } from "../shared/times.ts";
import { CountBadge } from "../ui/display.tsx";

interface GroupSidebarProps {
  groupId: string;
  channelId: string | undefined;
}

export function GroupSidebar({ groupId, channelId }: GroupSidebarProps) {
  const { t } = useTranslation("groups");
  const group = useGroup(groupId);
  const canInvite = useCanInGroup(groupId, "createInvites");
  if (group === undefined) {
    return (
      <div className="grid gap-4 p-4">
        <Skeleton className="h-5 w-36" />
        <SkeletonRows />
      </div>
    );
  }
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line px-2">
        <GroupMenu group={group} />
        <ReportsButton groupId={groupId} />
        <JoinRequestsButton group={group} />
        {canInvite && (
          <IconButton
            icon={UserPlus}
            label={t("invite")}
            tooltipSide="bottom"
            onClick={() => openGroupDialog(groupId, { kind: "invite" })}
          />
        )}
      </header>
      <ChannelList key={group.id} group={group} channelId={channelId} />
    </>
  );
}

/** For moderators, while messages are reported. */
function ReportsButton({ groupId }: { groupId: string }) {
  const { t } = useTranslation("groups");
  const count = useOpenReports(groupId);
  if (count === 0) return null;
  return (
    <Link
      href={groupSettingsPath(groupId, "reports")}
      className="flex min-h-control shrink-0 items-center gap-1 rounded-md px-1.5 hover:bg-hover"
    >
      <Flag size={18} aria-hidden className="text-muted" />
      <CountBadge count={count} label={t("groups:reports.open", { count })} />
    </Link>
  );
}

/** For moderators, while users ask to join or there is a lockdown. */
function JoinRequestsButton({ group }: { group: Group }) {
  const { t } = useTranslation("groups");
  const count = useOpenJoinRequests(group.id);
  const approves = useCanInGroup(group.id, "kickMembers");
  const lockdownUntil = useLockdown(group);
  const isLocked = approves && lockdownUntil !== null;
  if (count === 0 && !isLocked) return null;
  const Icon = isLocked ? ShieldAlert : UserRoundPlus;
  return (
    <Link
      href={groupSettingsPath(group.id, "join-requests")}
      className="flex min-h-control shrink-0 items-center gap-1 rounded-md px-1.5 hover:bg-hover"
    >
      <Icon size={18} aria-hidden className={isLocked ? "text-danger-text" : "text-muted"} />
      {isLocked && (
        <span className="sr-only">
          {t("groups:joinRequests.lockdown", { time: formatTime(lockdownUntil, "dateTime") })}
        </span>
      )}
      <CountBadge count={count} label={t("groups:joinRequests.open", { count })} />
    </Link>
  );
}

function GroupMenu({ group }: { group: Group }) {
  const { t } = useTranslation("groups");
  const call = useCall();
  const me = useMe();
  const [, navigate] = useLocation();
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const markRead = () => call("inbox.markGroupRead", { groupId: group.id }).catch(showFailure);
  const open = (dialog: GroupDialog) => openGroupDialog(group.id, dialog);
  const leave = () =>
    openConfirm({
      danger: true,
      title: t("leave.title", { group: group.name }),
      children: t("leave.text"),
      action: t("leave.action"),
      async onConfirm() {
        await call("group.leave", { groupId: group.id });
        navigate(landingPath());
      },
    });
  const canManage = hasPermission(permissions, "manageChannels");
  // The owner can only transfer or delete the group, in its settings.
  const canLeave = group.ownerId !== me.id;
  const items: MenuList = [
    hasPermission(permissions, "createInvites") && {
      label: t("menu.invite"),
      icon: UserPlus,
      onSelect: () => open({ kind: "invite" }),
    },
    hasGroupSettings(permissions) && {
      label: t("menu.settings"),
      icon: Settings,
      onSelect: () => navigate(groupSettingsPath(group.id)),
    },
    canManage && {
      label: t("menu.createChannel"),
      icon: Plus,
      onSelect: () => open({ kind: "createChannel", sectionId: null }),
    },
    canManage && {
      label: t("menu.createSection"),
      icon: FolderPlus,
      onSelect: () => open({ kind: "createSection" }),
    },
    "separator",
    {
      label: t("channels:browse.title"),
      icon: Hash,
      onSelect: () => navigate(groupChannelsPath(group.id)),
    },
    { label: t("common:notifications"), icon: Bell, onSelect: () => open({ kind: "groupNotifications" }) },
    { label: t("menu.markRead"), icon: CheckCheck, onSelect: () => void markRead() },
    canLeave && "separator",
    canLeave && {
      label: t("leave.action"),
      icon: LogOut,
      danger: true,
      onSelect: leave,
    },
  ];
  return (
    <Menu
      align="start"
      items={items}
      trigger={
        <button
          type="button"
          className="flex min-h-control min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 text-start font-semibold hover:bg-hover data-popup-open:bg-hover"
        >
          <span className="min-w-0 truncate">{group.name}</span>
          <ChevronDown size={16} aria-hidden className="shrink-0 text-muted" />
        </button>
      }
    />
  );
}
