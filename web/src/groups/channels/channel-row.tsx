import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import {
  Bell,
  BellOff,
  CheckCheck,
  Ellipsis,
  Hash,
  Link2,
  Lock,
  type LucideIcon,
  Megaphone,
  MessageSquareText,
  Pencil,
  Settings,
  Trash2,
  Volume2,
} from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearch } from "wouter";
import { useServerCache } from "../../data/data-context.ts";
import { useMe } from "../../data/me.ts";
import { CallMark, CallPeople, JoinVoiceButton } from "../../calls/call-people.tsx";
import { useChannelUnread, useNotificationSetting } from "../../data/inbox.ts";
import { useChannelPermissions, useIsDenied, useIsUnread } from "../../data/groups.ts";
import { useThreads } from "../../data/channel-messages.ts";
import { channelPath, parsePlace } from "../../routes.ts";
import { useHasCalls } from "../../session/server-meta.ts";
import { useNow } from "../../shared/hooks.ts";
import { UnsentMark } from "../../channel/messages/unsent-mark.tsx";
import { useHasDraft } from "../../state/drafts.ts";
import { ContextMenu, Menu, type MenuList } from "../../ui/menu.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/button.tsx";
import { openConfirm } from "../../ui/open-dialog.tsx";
import { openGroupDialog } from "../open-group-dialog.tsx";
import { useCall } from "../../data/call.ts";
import { showFailure } from "../../ui/feedback.tsx";
import { copyAndSay } from "../../shared/copy.ts";
import { DropLine, type Edge, moveItems, type Reorder } from "./reorder.tsx";
import { useFavoriteItem, useLeaveItem } from "./channel-marks.ts";
import { isQuiet } from "./mute.ts";
import { CountBadge, UnreadDot } from "../../ui/display.tsx";

const MAX_SHOWN = 5;

interface ChannelRowProps {
  channel: Channel;
  isFavorite: boolean;
  sectionId: string | null;
  isActive: boolean;
  edge: Edge | null;
  reorder: Reorder;
}

export const ChannelRow = memo(function ChannelRow(props: ChannelRowProps) {
  const { channel, isFavorite, sectionId, isActive, edge, reorder } = props;
  const canMove = reorder.canMove && !isFavorite;
  const { t } = useTranslation("channels");
  const hasCalls = useHasCalls();
  const isVoice = channel.kind === "voice";
  const mentions = useChannelUnread(channel.id, (unread) => unread.mentions);
  const setting = useNotificationSetting({ channelId: channel.id });
  const hasDraft = useHasDraft(channel.id);
  const hasNew = useIsUnread(channel.id);
  const items = useChannelMenu(channel, hasNew, canMove ? reorder : null);
  const quiet = isQuiet(setting, useNow());
  const isUnread = hasNew && !isActive && !quiet;
  const row = (
    <div
      {...(canMove && reorder.handlers(channel, sectionId))}
      className={cx(
        "group relative flex min-h-row items-center rounded-md pe-1",
        isActive ? "bg-selected" : "hover:bg-hover has-data-popup-open:bg-hover",
      )}
    >
      <DropLine edge={edge} />
      <Link
        data-walk
        href={channelPath(channel.groupId!, channel.id)}
        aria-current={isActive ? "page" : undefined}
        draggable={false}
        className={cx(
          "flex min-h-row min-w-0 flex-1 items-center gap-2 rounded-md px-2 -outline-offset-2",
          isActive || isUnread ? "text-text" : "text-muted group-hover:text-text",
          isUnread && "font-semibold",
        )}
      >
        <ChannelIcon channel={channel} className="shrink-0 opacity-80" />
        <span className="min-w-0 flex-1 truncate">{channel.name}</span>
        {isUnread && <span className="sr-only">{t("unread")}</span>}
        {hasDraft && !isActive && (
          <>
            <Pencil size={13} aria-hidden className="shrink-0" />
            <span className="sr-only">{t("draft")}</span>
          </>
        )}
        <UnsentMark channelId={channel.id} />
        {quiet && (
          <>
            <BellOff size={13} aria-hidden className="shrink-0" />
            <span className="sr-only">{t("muted")}</span>
          </>
        )}
        {hasCalls && !isVoice && <CallMark channel={channel} />}
        {isUnread && mentions === 0 && <UnreadDot />}
        <CountBadge count={mentions} label={t("common:mentions", { count: mentions })} />
      </Link>
      {hasCalls && isVoice && <JoinVoiceButton channel={channel} />}
      <span className="reveal">
        <Menu
          items={items}
          trigger={<IconButton icon={Ellipsis} size="sm" label={t("menu.more", { channel: channel.name })} />}
        />
      </span>
    </div>
  );
  return (
    <>
      <ContextMenu items={items}>{row}</ContextMenu>
      {hasCalls && isVoice && <CallPeople channel={channel} />}
      {isActive && <ChannelThreads channel={channel} />}
    </>
  );
});

export function ChannelIcon({ channel, className }: { channel: Channel; className?: string }) {
  const { t } = useTranslation("channels");
  const isReadOnly = useIsDenied(channel, "sendMessages");
  const isVoice = channel.kind === "voice";
  const [Icon, label]: [LucideIcon, string | null] = isVoice
    ? [Volume2, channel.private ? t("kind.privateVoice") : t("kind.voice")]
    : channel.private
      ? [Lock, t("kind.private")]
      : isReadOnly
        ? [Megaphone, t("kind.announcement")]
        : [Hash, null];
  return (
    <>
      <Icon size={17} aria-hidden className={className} />
      {label !== null && <span className="sr-only">{label} </span>}
    </>
  );
}

/** Recently active threads of the channel that the user follows or is viewing. */
function ChannelThreads({ channel }: { channel: Channel }) {
  const { t } = useTranslation("channels");
  const me = useMe();
  const { thread: openId } = parsePlace(useSearch());
  const threads = useThreads(channel.id).data ?? [];
  const own = threads.filter(({ ownerId, lastReadSeq }) => ownerId === me.id || lastReadSeq > 0);
  if (own.length === 0) return null;
  return (
    <ul aria-label={t("threadsOf", { channel: channel.name })} className="mb-1 ms-4 grid gap-px">
      {own.slice(0, MAX_SHOWN).map((thread) => {
        const isUnread = thread.head.seq > thread.lastReadSeq && thread.id !== openId;
        return (
          <li key={thread.id}>
            <Link
              data-walk
              href={channelPath(channel.groupId!, channel.id, { thread: thread.id })}
              aria-current={thread.id === openId ? "true" : undefined}
              className={cx(
                "flex min-h-row items-center gap-2 rounded-md px-2 text-sm -outline-offset-2 hover:bg-hover hover:text-text",
                isUnread ? "font-semibold text-text" : "text-muted",
                thread.id === openId && "bg-hover text-text",
              )}
            >
              <MessageSquareText size={14} aria-hidden className="shrink-0 opacity-80" />
              <span className="min-w-0 flex-1 truncate">
                {thread.name === "" ? t("threads:title") : thread.name}
              </span>
              <UnsentMark channelId={thread.id} />
              {isUnread && <span className="sr-only">{t("unread")}</span>}
              {isUnread && <UnreadDot />}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function useChannelMenu(channel: Channel, isUnread: boolean, reorder: Reorder | null): MenuList {
  const { t } = useTranslation("channels");
  const call = useCall();
  const permissions = useChannelPermissions(channel);
  const canManage = hasPermission(permissions, "manageChannels");
  const canEdit =
    canManage || hasPermission(permissions, "manageRoles") || hasPermission(permissions, "manageWebhooks");
  const { store } = useServerCache();
  const markRead = () => {
    const seq = store.state.heads[channel.id]?.seq ?? 0;
    return call("channel.markRead", { channelId: channel.id, seq }).catch(showFailure);
  };
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("delete.title", { name: channel.name }),
      children: t("delete.text"),
      action: t("delete.action"),
      onConfirm: () => call("channel.delete", { channelId: channel.id }),
    });
  const copyLink = () =>
    copyAndSay(location.origin + channelPath(channel.groupId!, channel.id), t("common:linkCopied"));
  return [
    {
      label: t("menu.markRead"),
      icon: CheckCheck,
      disabled: !isUnread,
      onSelect: () => void markRead(),
    },
    useFavoriteItem(channel.id),
    {
      label: t("common:notifications"),
      icon: Bell,
      onSelect: () => openGroupDialog(channel.groupId!, { kind: "channelNotifications", channel }),
    },
    useLeaveItem(channel),
    { label: t("common:copyLink"), icon: Link2, onSelect: () => void copyLink() },
    reorder !== null && "separator",
    ...(reorder === null ? [] : moveItems(channel, reorder)),
    canEdit && "separator",
    canEdit && {
      label: t("menu.edit"),
      icon: Settings,
      onSelect: () => openGroupDialog(channel.groupId!, { kind: "editChannel", channel }),
    },
    canManage && {
      label: t("delete.action"),
      icon: Trash2,
      danger: true,
      onSelect: remove,
    },
  ];
}
