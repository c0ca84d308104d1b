import type { ChannelState } from "@fanfare/contract";
import { BellOff, Ellipsis, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useNotificationSetting } from "../../data/notifications.ts";
import { useStatus } from "../../data/presence.ts";
import { useChannelUnread } from "../../data/unread.ts";
import { directPath } from "../../routes.ts";
import { useNow } from "../../shared/use-now.ts";
import { ContextMenu } from "../../ui/context-menu.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { isQuiet } from "../channels/mute.ts";
import { DirectAvatar } from "./direct-avatar.tsx";
import type { OpenDirectDialog } from "./direct-dialog.ts";
import { useDirect } from "./use-direct.ts";
import { useDirectMenu } from "./use-direct-menu.ts";

interface DirectRowProps {
  channel: ChannelState;
  isActive: boolean;
  onOpen: OpenDirectDialog;
}

/** A conversation of the list: bold with a number when something is unread. */
export function DirectRow({ channel, isActive, onOpen }: DirectRowProps) {
  const { t } = useTranslation("directs");
  const direct = useDirect(channel);
  const status = useStatus(direct.otherId);
  const { messages } = useChannelUnread(channel.id);
  const quiet = isQuiet(useNotificationSetting({ channelId: channel.id }), useNow());
  const { items, close } = useDirectMenu(channel, onOpen);
  const count = isActive ? 0 : messages;
  return (
    <li>
      <ContextMenu items={items}>
        <div
          className={cx(
            "group flex items-center rounded-md pr-1",
            isActive ? "bg-selected" : "hover:bg-hover has-data-popup-open:bg-hover",
          )}
        >
          <Link
            href={directPath(channel.id)}
            aria-current={isActive ? "page" : undefined}
            draggable={false}
            className={cx(
              "flex min-h-11 min-w-0 flex-1 items-center gap-2.5 rounded-md px-2 -outline-offset-2 compact:min-h-9",
              isActive || count > 0 ? "text-text" : "text-muted group-hover:text-text",
              count > 0 && !quiet && "font-semibold",
            )}
          >
            <DirectAvatar direct={direct} />
            <span className="grid min-w-0 flex-1 leading-tight">
              <span className="truncate">{direct.title}</span>
              {channel.kind === "groupDirect" && (
                <span className="truncate text-xs font-normal text-muted">
                  {t("people", { count: channel.memberIds.length })}
                </span>
              )}
            </span>
            {status !== undefined && <span className="sr-only">{t(`members:status.${status}`)}</span>}
            {quiet && (
              <>
                <BellOff size={13} aria-hidden className="shrink-0" />
                <span className="sr-only">{t("quiet")}</span>
              </>
            )}
            <CountBadge
              count={count}
              label={t("unread", { count })}
              {...(quiet && { tone: "neutral" as const })}
            />
          </Link>
          <span className="flex w-0 overflow-hidden group-focus-within:w-auto group-focus-within:overflow-visible group-hover:w-auto group-hover:overflow-visible has-data-popup-open:w-auto touch:w-auto touch:overflow-visible">
            <Menu
              items={items}
              trigger={
                <IconButton icon={Ellipsis} size="sm" label={t("menu.more", { title: direct.title })} />
              }
            />
            <span className="touch:hidden">
              <IconButton
                icon={X}
                size="sm"
                label={t("menu.closeOne", { title: direct.title })}
                onClick={close}
              />
            </span>
          </span>
        </div>
      </ContextMenu>
    </li>
  );
}
