import type { ChannelState } from "@fanfare/contract";
import { BellOff, Ellipsis, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useNotificationSetting } from "../../data/notifications.ts";
import { useStatus } from "../../data/presence.ts";
import { useChannelUnread } from "../../data/unread.ts";
import { useUser } from "../../data/users.ts";
import { directPath } from "../../routes.ts";
import { useNow } from "../../shared/use-now.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { ContextMenu } from "../../ui/context-menu.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { isQuiet } from "../channels/mute.ts";
import type { OpenDirectDialog } from "./direct-dialog.ts";
import { useDirectMenu } from "./use-direct-menu.ts";
import { useDirect, type Direct } from "./use-direct.ts";

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

/** Whom a direct channel is with: one picture with a dot for the status, or two of several. */
function DirectAvatar({ direct: { title, otherId, otherIds } }: { direct: Direct }) {
  if (otherId !== null) return <OneAvatar userId={otherId} name={title} />;
  const [first, second] = otherIds;
  if (first === undefined) return <Avatar name={title} id="" size={32} />;
  if (second === undefined) return <OneAvatar userId={first} name={title} />;
  return (
    <span aria-hidden className="relative size-8 shrink-0">
      <span className="absolute top-0 left-0">
        <SmallAvatar userId={first} />
      </span>
      <span className="absolute right-0 bottom-0 flex rounded-full ring-2 ring-sidebar">
        <SmallAvatar userId={second} />
      </span>
    </span>
  );
}

function OneAvatar({ userId, name }: { userId: string; name: string }) {
  const user = useUser(userId);
  const status = useStatus(userId);
  return <Avatar name={user?.nickname ?? name} id={userId} src={user?.avatarUrl} size={32} status={status} />;
}

function SmallAvatar({ userId }: { userId: string }) {
  const user = useUser(userId);
  return <Avatar name={user?.nickname ?? "…"} id={userId} src={user?.avatarUrl} size={22} />;
}
