import { Hash, Compass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Redirect, useLocation, useSearch, Link } from "wouter";
import {
  channelsInOrder,
  useChannels,
  useChannelState,
  useGroup,
  useGroups,
  useListedChannel,
} from "../../data/groups.ts";
import { usePreloadedChannel } from "../../data/open-channels.ts";
import { useMe } from "../../data/me.ts";
import { channelPath, parsePlace, placePath, groupPath, landingPath, directPath } from "../../routes.ts";
import { lastChannelOf, rememberPlace, lastPlaces } from "../../state/last-channel.ts";
import { EmptyState } from "../../ui/feedback.tsx";
import { PageHeader, PageLoading, PagePending } from "../shell/page-header.tsx";
import { useEffect, useState, type ReactNode } from "react";
import { useServerCache } from "../../data/data-context.ts";
import { ChannelPage } from "../../channel/messages/channel-page.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { later } from "../../shared/later.tsx";

const FirstGroup = later(async () => (await import("../next.ts")).FirstGroup, PageLoading);

/** A group's address without a channel: redirects to the last visited channel, the group's default or the first one. */
export function GroupPage({ groupId }: { groupId: string }) {
  const { t } = useTranslation("home");
  const me = useMe();
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const query = useChannels(groupId);
  const { data: channels } = query;
  if (groups !== undefined && group === undefined) return <NotFound what="group" />;
  if (channels === undefined || group === undefined) return <PagePending of={query} />;
  const ids = channelsInOrder(channels).map(({ id }) => id);
  const wanted = [lastChannelOf(me.id, groupId), group.defaultChannelId, ids[0]];
  const target = wanted.find((id) => typeof id === "string" && ids.includes(id));
  if (typeof target === "string") return <Redirect to={channelPath(groupId, target)} replace />;
  return (
    <>
      <PageHeader title={group.name} />
      <EmptyState icon={Hash} title={t("noChannels")} text={t("noChannelsText")} />
    </>
  );
}

export function GroupChannelPage({ groupId, channelId }: { groupId: string; channelId: string }) {
  const me = useMe();
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const channel = useListedChannel(groupId, channelId);
  usePreloadedChannel(channelId);
  const isThere = group !== undefined && channel !== undefined && channel !== null;
  const isBanned = useIsBanned(groupId);
  useEffect(() => {
    if (isThere) rememberPlace(me.id, channelPath(groupId, channelId), groupId, channelId);
  }, [isThere, me.id, groupId, channelId]);
  if (isThere) return <ChannelPage key={channelId} group={group} channel={channel} />;
  if (groups !== undefined && group === undefined) return <NotFound what="group" isBanned={isBanned} />;
  if (channel === null && group !== undefined) {
    return (
      <ThreadRedirect channelId={channelId}>
        <NotFound what="channel" groupId={groupId} />
      </ThreadRedirect>
    );
  }
  return <PageLoading />;
}

/** Whether the user was banned while this page was open. Later, the server doesn't tell that the group exists. */
function useIsBanned(groupId: string): boolean {
  const { client } = useServerCache();
  const [bannedFrom, setBannedFrom] = useState<string | null>(null);
  useEffect(
    () =>
      client.on("group.left", (left) => {
        if (left.groupId === groupId && left.reason === "banned") setBannedFrom(groupId);
      }),
    [client, groupId],
  );
  return bannedFrom === groupId;
}

interface ThreadRedirectProps {
  channelId: string;
  /** Rendered if the address isn't a thread. */
  children: ReactNode;
}

/** Redirects from a thread's own address, such as a link to a message in it, to the thread panel of its channel. */
function ThreadRedirect({ channelId, children }: ThreadRedirectProps) {
  const [, navigate] = useLocation();
  const { message } = parsePlace(useSearch());
  const { data: channel, isPending } = useChannelState(channelId);
  const parentId = channel?.parentId ?? null;
  const groupId = channel?.groupId ?? null;
  useEffect(() => {
    if (parentId === null) return;
    const place = { thread: channelId, ...(message !== undefined && { message }) };
    navigate(placePath(groupId, parentId, place), { replace: true });
  }, [navigate, groupId, parentId, channelId, message]);
  return isPending || parentId !== null ? <PageLoading /> : children;
}

interface NotFoundProps {
  what: "group" | "channel" | "page";
  groupId?: string;
  isBanned?: boolean;
  /** False on pages that have their own heading. */
  hasHeader?: boolean;
}

export function NotFound({ what, groupId, isBanned = false, hasHeader = true }: NotFoundProps) {
  const { t } = useTranslation("home");
  return (
    <>
      {hasHeader && <PageHeader title={t("notFound")} />}
      <EmptyState
        icon={Compass}
        title={isBanned ? t("shared:error.BANNED") : t(`${what}NotFound`)}
        text={isBanned ? "" : t("notFoundText")}
        action={
          <Link
            href={groupId === undefined ? landingPath() : groupPath(groupId)}
            className={buttonClass({ variant: "primary" })}
          >
            {groupId === undefined ? t("goToGroups") : t("goToGroup")}
          </Link>
        }
      />
    </>
  );
}

/** Redirects to the last visited place or the first group; without groups, offers to create one. */
export function HomePage() {
  const me = useMe();
  const query = useGroups();
  const { data: groups } = query;
  if (groups === undefined) return <PagePending of={query} />;
  const { path } = lastPlaces(me.id);
  if (path?.startsWith(`${directPath()}/`)) return <Redirect to={path} replace />;
  const first = groups[0];
  if (first === undefined) {
    return (
      <>
        <PageHeader />
        <FirstGroup />
      </>
    );
  }
  const isThere = groups.some(({ id }) => path?.startsWith(`${groupPath(id)}/`));
  return <Redirect to={isThere && path !== null ? path : groupPath(first.id)} replace />;
}
