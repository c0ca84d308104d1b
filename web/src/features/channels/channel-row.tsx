import type { ChannelState } from "@fanfare/contract";
import { BellOff, Ellipsis, Pencil } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useNotificationSetting } from "../../data/notifications.ts";
import { useChannelUnread } from "../../data/unread.ts";
import { channelPath } from "../../routes.ts";
import { useDraft } from "../../state/drafts.ts";
import { ContextMenu } from "../../ui/context-menu.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { OpenDialog } from "../groups/group-dialog.ts";
import { ChannelIcon } from "./channel-icon.tsx";
import { ChannelThreads } from "./channel-threads.tsx";
import { DropLine } from "./drop-line.tsx";
import { isQuiet } from "./mute.ts";
import type { Edge } from "./reorder.ts";
import { useChannelMenu } from "./use-channel-menu.ts";
import type { Reorder } from "./use-reorder.ts";
import { useNow } from "../../shared/use-now.ts";

interface ChannelRowProps {
  channel: ChannelState;
  sectionId: string | null;
  isActive: boolean;
  edge: Edge | null;
  reorder: Reorder;
  onOpen: OpenDialog;
}

/** A channel of the list: bold when something is unread, with a number for mentions. */
export const ChannelRow = memo(function ChannelRow(props: ChannelRowProps) {
  const { channel, sectionId, isActive, edge, reorder, onOpen } = props;
  const { t } = useTranslation("channels");
  const { mentions } = useChannelUnread(channel.id);
  const setting = useNotificationSetting({ channelId: channel.id });
  const hasDraft = useDraft(channel.id) !== "";
  const items = useChannelMenu(channel, reorder, onOpen);
  const quiet = isQuiet(setting, useNow());
  const isUnread = channel.head.seq > channel.lastReadSeq && !isActive && !quiet;
  const row = (
    <div
      {...reorder.handlers(channel, sectionId)}
      className={cx(
        "group relative flex min-h-row items-center rounded-md pr-1",
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
        {quiet && (
          <>
            <BellOff size={13} aria-hidden className="shrink-0" />
            <span className="sr-only">{t("muted")}</span>
          </>
        )}
        <CountBadge count={mentions} label={t("mentions", { count: mentions })} />
      </Link>
      <span className="flex w-0 overflow-hidden group-focus-within:w-auto group-focus-within:overflow-visible group-hover:w-auto group-hover:overflow-visible has-data-popup-open:w-auto touch:w-auto touch:overflow-visible">
        <Menu
          items={items}
          trigger={<IconButton icon={Ellipsis} size="sm" label={t("menu.more", { channel: channel.name })} />}
        />
      </span>
    </div>
  );
  return (
    <li>
      <ContextMenu items={items}>{row}</ContextMenu>
      {isActive && <ChannelThreads channel={channel} />}
    </li>
  );
});
