import { BellOff, Ellipsis, MessageCirclePlus, MessagesSquare, Users, X } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import type { ChannelState } from "@fanfare/contract";
import { useDirects, useIncomingRequests, useUser } from "../../data/people.ts";
import { useMe } from "../../data/me.ts";
import { directPath } from "../../routes.ts";
import { UnsentMark } from "../../channel/messages/unsent-mark.tsx";
import { CallMark } from "../../calls/call-people.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Avatar, CountBadge } from "../../ui/display.tsx";
import { cx } from "../../ui/cx.ts";
import { EmptyState, Pending } from "../../ui/feedback.tsx";
import { useChannelUnread, useMarkedIds, useNotificationSetting } from "../../data/inbox.ts";
import { useStatus } from "../../data/presence.ts";
import { useNow } from "../../shared/hooks.ts";
import { ContextMenu, Menu } from "../../ui/menu.tsx";
import { isQuiet } from "../../groups/channels/mute.ts";
import { type Direct, useDirect, useDirectMenu, openNewDirect } from "./use-direct.tsx";

export function DirectsSidebar() {
  const { t } = useTranslation("directs");
  const id = useId();
  const [path] = useLocation();
  const query = useDirects();
  const { data: directs } = query;
  const isAccount = useMe().kind === "member";
  const incoming = useIncomingRequests().length;
  const create = () => openNewDirect([]);
  // Guests can't search users; they can only choose people they already have a conversation with.
  const canChoose = isAccount || (directs !== undefined && directs.length > 0);
  const favoriteIds = useMarkedIds("favorite");
  const isFavorite = (channel: ChannelState): boolean => favoriteIds.includes(channel.id);
  const favorites = directs?.filter(isFavorite) ?? [];
  const others = directs?.filter((channel) => !isFavorite(channel)) ?? [];
  const row = (channel: ChannelState) => (
    <DirectRow key={channel.id} channel={channel} isActive={path === directPath(channel.id)} />
  );
  const isAtFriends = path === directPath();
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-1 border-b border-line pe-2 ps-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t("title")}</h2>
        {canChoose && (
          <IconButton
            icon={MessageCirclePlus}
            label={t("create.title")}
            tooltipSide="bottom"
            onClick={create}
          />
        )}
      </header>
      <nav aria-label={t("title")} className="flex min-h-0 flex-1 flex-col overflow-y-auto px-2 py-3">
        <Link
          href={directPath()}
          aria-current={isAtFriends ? "page" : undefined}
          className={cx(
            "flex min-h-control shrink-0 items-center gap-2.5 rounded-md px-2.5 font-medium -outline-offset-2",
            isAtFriends ? "bg-selected text-text" : "text-muted hover:bg-hover hover:text-text",
          )}
        >
          <Users size={20} aria-hidden className="shrink-0" />
          <span className="min-w-0 flex-1 truncate">{t("friends:title")}</span>
          <CountBadge count={incoming} label={t("friends:requests", { count: incoming })} />
        </Link>
        <hr className="mx-2 my-2 border-line" />
        <Pending of={query} />
        {directs?.length === 0 && (
          <EmptyState
            icon={MessagesSquare}
            title={t("empty")}
            text={t("emptyText")}
            action={
              canChoose && (
                <Button size="sm" icon={MessageCirclePlus} onClick={create}>
                  {t("create.title")}
                </Button>
              )
            }
          />
        )}
        {favorites.length > 0 && (
          <>
            <h3 id={`${id}-favorites`} className="px-2 pb-1 text-xs font-semibold text-muted">
              {t("channels:favorites.title")}
            </h3>
            <ul aria-labelledby={`${id}-favorites`} className="grid gap-px">
              {favorites.map(row)}
            </ul>
            {others.length > 0 && <hr className="mx-2 my-2 border-line" />}
          </>
        )}
        <ul className="grid gap-px">{others.map(row)}</ul>
      </nav>
    </>
  );
}

function DirectRow({ channel, isActive }: { channel: ChannelState; isActive: boolean }) {
  const { t } = useTranslation("directs");
  const direct = useDirect(channel);
  const status = useStatus(direct.otherId);
  const messages = useChannelUnread(channel.id, (unread) => unread.messages);
  const quiet = isQuiet(useNotificationSetting({ channelId: channel.id }), useNow());
  const { items, close } = useDirectMenu(channel);
  const count = isActive ? 0 : messages;
  return (
    <li>
      <ContextMenu items={items}>
        <div
          className={cx(
            "group flex items-center rounded-md pe-1",
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
            <UnsentMark channelId={channel.id} />
            <CallMark channel={channel} />
            {quiet && (
              <>
                <BellOff size={13} aria-hidden className="shrink-0" />
                <span className="sr-only">{t("muted")}</span>
              </>
            )}
            <CountBadge
              count={count}
              label={t("messages:jump.unread", { count })}
              {...(quiet && { tone: "neutral" as const })}
            />
          </Link>
          <span className="reveal">
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
                label={t("menu.closeNamed", { title: direct.title })}
                onClick={close}
              />
            </span>
          </span>
        </div>
      </ContextMenu>
    </li>
  );
}

/** One avatar with presence, or two for a group DM. */
function DirectAvatar({ direct: { title, otherId, otherIds } }: { direct: Direct }) {
  if (otherId !== null) return <OneAvatar userId={otherId} name={title} />;
  const [first, second] = otherIds;
  if (first === undefined) return <Avatar name={title} id="" size={32} />;
  if (second === undefined) return <OneAvatar userId={first} name={title} />;
  return (
    <span aria-hidden className="relative size-8 shrink-0">
      <span className="absolute top-0 start-0">
        <SmallAvatar userId={first} />
      </span>
      <span className="absolute end-0 bottom-0 flex rounded-full ring-2 ring-sidebar">
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
