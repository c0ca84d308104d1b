import type { ChannelState } from "@fanfare/contract";
import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearch, Link } from "wouter";
import {
  AtSign,
  CircleUser,
  Ellipsis,
  Files,
  type LucideIcon,
  Pin,
  UserPlus,
  Users,
  MessagesSquare,
} from "lucide-react";
import { useIsBlocked, useMe } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { useUser } from "../../data/people.ts";
import { directPath, parsePlace } from "../../routes.ts";
import { useAction, isErrorOf } from "../../shared/use-action.ts";
import { openPanel, type Panel, togglePanel, usePanels } from "../../state/panels.ts";
import { Avatar } from "../../ui/display.tsx";
import { Button, IconButton, buttonClass } from "../../ui/button.tsx";
import { ErrorNote, EmptyState } from "../../ui/feedback.tsx";
import { focusComposer } from "../../composer/field.ts";
import { CallArea, CallButtons } from "../../calls/call-area.tsx";
import { Composer } from "../../composer/composer.tsx";
import { MessageList } from "../../channel/messages/list/message-list.tsx";
import { ChannelPanels } from "../../channel/messages/pins/channel-panels.tsx";
import { useStatus } from "../../data/presence.ts";
import { LaterMenu } from "../../ui/later-popup.tsx";
import { useIsPhone } from "../../ui/hooks.ts";
import { SearchButton } from "../../search/search-button.tsx";
import { StatusLine } from "../members/user-name.tsx";
import { PageHeader, PagePending } from "../../app/shell/page-header.tsx";
import { type Direct, useDirect, useDirectMenu, openAddPeople, openNewDirect } from "./use-direct.tsx";
import { useChannelState } from "../../data/groups.ts";
import { useServerCache } from "../../data/data-context.ts";
import { later } from "../../shared/later.tsx";
import { rememberPlace } from "../../state/last-channel.ts";

const PeoplePanel = later(async () => (await import("./people-panel.tsx")).PeoplePanel);

const MAX_SHOWN = 5;

function Conversation({ channel }: { channel: ChannelState }) {
  const panel = usePanels((state) => state.panel);
  const direct = useDirect(channel);
  const [, navigate] = useLocation();
  const { message, thread } = parsePlace(useSearch());
  const onJumped = useCallback(
    () => navigate(directPath(channel.id, thread === undefined ? {} : { thread }), { replace: true }),
    [navigate, channel.id, thread],
  );
  const isBlocked = useIsBlocked(direct.otherId ?? "");
  const closePanel = () => openPanel(null);
  return (
    <>
      <DirectHeader channel={channel} direct={direct} />
      <CallArea channel={channel}>
        <MessageList
          channel={channel}
          title={direct.title}
          beginning={<Beginning direct={direct} />}
          jumpToId={message}
          onJumped={onJumped}
          onLeave={() => focusComposer(channel.id)}
        />
        {isBlocked && direct.otherId !== null ? (
          <Blocked userId={direct.otherId} name={direct.title} />
        ) : (
          <Composer channel={channel} title={direct.title} autoFocus />
        )}
      </CallArea>
      <ChannelPanels channel={channel} panel={panel} onClose={closePanel} />
      {panel === "members" && <PeoplePanel channel={channel} direct={direct} onClose={closePanel} />}
    </>
  );
}

function Blocked({ userId, name }: { userId: string; name: string }) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const { busy, error, run } = useAction();
  return (
    <div className="grid gap-2 px-3 pb-4 md:px-5">
      <div className="flex flex-wrap items-center gap-3 rounded-md border border-line bg-sidebar px-4 py-3">
        <p className="min-w-0 flex-1 text-muted">{t("blocked", { name })}</p>
        <Button size="sm" busy={busy} onClick={() => void run(() => call("user.unblock", { userId }))}>
          {t("members:action.unblock")}
        </Button>
      </div>
      <ErrorNote text={error} />
    </div>
  );
}

function Beginning({ direct: { title, otherId, otherIds } }: { direct: Direct }) {
  const { t } = useTranslation("directs");
  return (
    <div className="grid gap-1 pb-2">
      <div className="mb-1 flex -space-x-3">
        {otherIds.slice(0, MAX_SHOWN).map((userId) => (
          <Picture key={userId} userId={userId} />
        ))}
      </div>
      <p className="truncate text-xl font-semibold">{title}</p>
      <p className="line-clamp-2 text-muted">
        {otherId === null
          ? t("beginning.group")
          : otherIds.length === 0
            ? t("beginning.notes")
            : t("beginning.two", { name: title })}
      </p>
    </div>
  );
}

function Picture({ userId }: { userId: string }) {
  const user = useUser(userId);
  return (
    <span className="flex rounded-full ring-3 ring-canvas">
      <Avatar name={user?.nickname ?? "…"} id={userId} src={user?.avatarUrl} size={56} />
    </span>
  );
}

interface DirectHeaderProps {
  channel: ChannelState;
  direct: Direct;
}

function DirectHeader({ channel, direct: { title, otherId, otherIds } }: DirectHeaderProps) {
  const { t } = useTranslation("directs");
  const panel = usePanels((state) => state.panel);
  const status = useStatus(otherId);
  const { items } = useDirectMenu(channel);
  const isPhone = useIsPhone();
  const isBlocked = useIsBlocked(otherId ?? "");
  const isGroup = channel.kind === "groupDirect";
  const add = () => (isGroup ? openAddPeople(channel, title) : openNewDirect(otherIds));
  const panelButton = (name: NonNullable<Panel>, icon: LucideIcon, label: string) => (
    <IconButton
      icon={icon}
      label={label}
      pressed={panel === name}
      tooltipSide="bottom"
      onClick={() => togglePanel(name)}
    />
  );
  // Phones have no room for these in the header.
  const panels = [
    { label: t("messages:pins.title"), icon: Pin, onSelect: () => togglePanel("pins") },
    { label: t("messages:files.title"), icon: Files, onSelect: () => togglePanel("files") },
  ];
  return (
    <PageHeader
      icon={isGroup ? Users : AtSign}
      title={title}
      subtitle={
        isGroup
          ? t("people", { count: channel.memberIds.length })
          : status !== undefined && <StatusLine status={status} />
      }
      actions={
        <>
          {!isBlocked && otherIds.length > 0 && <CallButtons channel={channel} />}
          <SearchButton />
          <span className="flex gap-1 max-md:hidden">
            {(isGroup || otherIds.length > 0) && (
              <IconButton
                icon={UserPlus}
                label={isGroup ? t("menu.add") : t("menu.startGroup")}
                tooltipSide="bottom"
                onClick={add}
              />
            )}
            {panelButton("pins", Pin, t("messages:pins.title"))}
            {panelButton("files", Files, t("messages:files.title"))}
          </span>
          {isGroup
            ? panelButton("members", Users, t("common:members"))
            : panelButton("members", CircleUser, t("common:profile"))}
          <LaterMenu
            items={isPhone ? [...panels, ...items] : items}
            trigger={<IconButton icon={Ellipsis} label={t("menu.more", { title })} />}
          />
        </>
      }
    />
  );
}

export function DirectPage({ channelId }: { channelId: string }) {
  const me = useMe();
  const query = useChannelState(channelId);
  const { data: channel, error } = query;
  const hasLeft = useHasLeft(channelId);
  const isGone = hasLeft || isErrorOf(error, "CHANNEL_NOT_FOUND");
  const isThere = !isGone && channel !== undefined && channel.memberIds.includes(me.id);
  useEffect(() => {
    if (isThere) rememberPlace(me.id, directPath(channelId), null, channelId);
  }, [isThere, me.id, channelId]);
  if (isThere) return <Conversation key={channelId} channel={channel} />;
  if (isGone || channel !== undefined) return <NotFound />;
  return (
    <>
      {error !== null && <PageHeader />}
      <PagePending of={query} />
    </>
  );
}

function NotFound() {
  const { t } = useTranslation("directs");
  return (
    <>
      <PageHeader title={t("notFound")} />
      <EmptyState
        icon={MessagesSquare}
        title={t("notFound")}
        text={t("notFoundText")}
        action={
          <Link href={directPath()} className={buttonClass({ variant: "primary" })}>
            {t("toFriends")}
          </Link>
        }
      />
    </>
  );
}

/** Whether the user left, was removed or the conversation was deleted while it was open. */
function useHasLeft(channelId: string): boolean {
  const { client } = useServerCache();
  const [outOf, setOutOf] = useState<string | null>(null);
  useEffect(() => {
    const ends = [
      client.on("channel.deleted", (gone) => gone.channelId === channelId && setOutOf(channelId)),
      client.on("channel.created", ({ channel }) => channel.id === channelId && setOutOf(null)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [client, channelId]);
  return outOf === channelId;
}
