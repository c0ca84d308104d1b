import { useEffect, type ReactNode } from "react";
import { useLocation, useSearch } from "wouter";
import { useChannels, useChannelState, useGroup, useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { channelPath, parsePlace, placePath } from "../../routes.ts";
import { rememberPlace } from "../../state/last-channel.ts";
import { ChannelPage } from "../../channel/messages/channel-page.tsx";
import { PageLoading } from "../shell/page-loading.tsx";
import { NotThere } from "./not-there.tsx";

/** A channel of a group, by its address. */
export function GroupChannelPage({ groupId, channelId }: { groupId: string; channelId: string }) {
  const me = useMe();
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const { data: channels } = useChannels(groupId);
  const channel = channels?.find(({ id }) => id === channelId);
  const isThere = group !== undefined && channel !== undefined;
  useEffect(() => {
    if (isThere) rememberPlace(me.id, channelPath(groupId, channelId), groupId, channelId);
  }, [isThere, me.id, groupId, channelId]);
  if (isThere) return <ChannelPage key={channelId} group={group} channel={channel} />;
  if (groups !== undefined && group === undefined) return <NotThere what="group" />;
  if (channels !== undefined && group !== undefined) {
    return (
      <ThreadRedirect channelId={channelId}>
        <NotThere what="channel" groupId={groupId} />
      </ThreadRedirect>
    );
  }
  return <PageLoading />;
}

interface ThreadRedirectProps {
  channelId: string;
  /** Shown where it is no thread either. */
  children: ReactNode;
}

/** The address of a thread as a channel, such as of a message in it: shows it beside its channel. */
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
