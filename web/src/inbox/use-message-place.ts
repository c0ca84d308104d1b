import type { Message } from "@fanfare/contract";
import { useChannelState } from "../data/groups.ts";
import { placePath } from "../routes.ts";

/** Where a message is read: in its channel, or in its thread beside the channel that the thread belongs to. */
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

/** Why a message is in the inbox of a user: a reply also counts as a mention of the one who is answered. */
export function reasonOf(
  { content, replyTo, mentions }: Pick<Message, "content" | "replyTo" | "mentions">,
  ownId: string,
): "mention" | "reply" | "role" | "everyone" {
  if (content.includes(`<@${ownId}>`)) return "mention";
  if (mentions?.userIds.includes(ownId)) return replyTo === null ? "mention" : "reply";
  return mentions?.everyone === true ? "everyone" : "role";
}
