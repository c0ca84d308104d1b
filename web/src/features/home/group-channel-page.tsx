import { useEffect } from "react";
import { useChannels } from "../../data/channels.ts";
import { useGroup, useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { channelPath } from "../../routes.ts";
import { rememberPlace } from "../../state/last-channel.ts";
import { ChannelPage } from "../messages/channel-page.tsx";
import { PageLoading } from "../shell/page-loading.tsx";
import { ThreadRedirect } from "../threads/thread-redirect.tsx";
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
