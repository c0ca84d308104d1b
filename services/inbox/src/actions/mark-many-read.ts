import { listChannels, type Call } from "@fanfare/contract";
import { boundedMap, toServiceError, type Handler } from "@fanfare/kernel";
import { advanceMarker } from "../advance-marker.ts";
import { CONCURRENCY } from "../bounds.ts";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import { listUnread, threadsIn } from "../list-unread.ts";
import { newestMentions } from "../newest-mentions.ts";
import { ownMentionKeys } from "../own-mention-keys.ts";

interface Unread {
  channelId: string;
  seq: number;
}

/** With the threads there that the user takes part in. */
export function markGroupRead({ node, follows }: InboxDependencies): Handler<"inbox.markGroupRead"> {
  return async ({ params: { groupId }, actor: { userId }, call }) => {
    const [channels, followed] = await Promise.all([listChannels(call, groupId), follows.listOf(userId)]);
    const threads = threadsIn(followed, new Set(channels.map(({ id }) => id)));
    const channelIds = threads.map(({ channelId }) => channelId);
    const { heads } = await node.call("message.listHeads", { userId, channelIds });
    const seen = [...channels.map(({ id, ...state }) => ({ channelId: id, ...state })), ...heads];
    const unread = seen
      .filter(({ head, lastReadSeq }) => head.seq > lastReadSeq)
      .map(({ channelId, head }) => ({ channelId, seq: head.seq }));
    return { channelIds: await markRead(call, unread) };
  };
}

/** The inbox with the first page: what comes after it was not there when the user asked. */
export function markAllRead(dependencies: InboxDependencies): Handler<"inbox.markAllRead"> {
  return async ({ params: { cursor }, actor: { userId }, call }) => {
    if (cursor === undefined) await markNewestMention(dependencies, userId);
    const { channels, nextCursor } = await listUnread(dependencies, userId, cursor ?? null);
    const unread = channels.map(({ channelId, head }) => ({ channelId, seq: head.seq }));
    return { channelIds: await markRead(call, unread), nextCursor };
  };
}

/** Each as the user: who is put out meanwhile is passed over. */
async function markRead(call: Call, unread: readonly Unread[]): Promise<string[]> {
  const marked = await boundedMap(unread, CONCURRENCY, async (channel) => {
    try {
      await call("channel.markRead", channel);
      return [channel.channelId];
    } catch (error) {
      if (toServiceError(error).type === "CHANNEL_NOT_FOUND") return [];
      throw error;
    }
  });
  return marked.flat();
}

async function markNewestMention(dependencies: InboxDependencies, userId: string): Promise<void> {
  const keys = (await ownMentionKeys(dependencies, userId)).all;
  const { messages } = await newestMentions(dependencies.node.call, keys, undefined, 1);
  const newest = messages[0];
  if (newest !== undefined) await advanceMarker(dependencies, userId, ["readUpToId"], newest.id);
}
