import type { Message } from "@fanfare/contract";
import { useChannelState } from "../data/groups.ts";
import { placePath } from "../routes.ts";

/** The address of a message: in its channel, or in the thread panel. */
export function useMessagePlace({ id, channelId }: Pick<Message, "id" | "channelId">): {
  path: string | null;
  channel: ReturnType<typeof useChannelState>["data"];
} {
  const { data: channel } = useChannelState(channelId);
  if (channel === undefined) return { path: null, channel };
  const { groupId, parentId } = channel;
  const path =
    parentId === null
      ? placePath(groupId, channelId, { message: id })
      : placePath(groupId, parentId, { thread: channelId, message: id });
  return { path, channel };
}

/** Why a message is in the user's inbox. A reply also mentions the author it replies to. */
export function reasonOf(
  { content, replyTo, mentions }: Pick<Message, "content" | "replyTo" | "mentions">,
  ownId: string,
): "mention" | "reply" | "role" | "everyone" {
  if (content.includes(`<@${ownId}>`)) return "mention";
  if (mentions?.userIds.includes(ownId)) return replyTo === null ? "mention" : "reply";
  return mentions?.everyone === true ? "everyone" : "role";
}
