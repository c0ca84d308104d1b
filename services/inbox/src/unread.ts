import { callOf, boundedMap, can, chunks, type Handlers, toServiceError } from "@fanfare/kernel";
import { type Services, LIMITS, listChannels, type Result, type UnreadChannel } from "@fanfare/contract";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { mentionKeys, ownMentionKeys, type OwnMentionKeys } from "./mentions-and-follows.ts";
import { advanceMarker, newestMentions } from "./inbox.ts";
import { QUERY_CONCURRENCY } from "./constants.ts";
import type { Thread } from "./follow.repository.ts";

interface Unread {
  channelId: string;
  seq: number;
}

type SeenChannel = Pick<UnreadChannel, "channelId" | "groupId" | "parentId">;

interface UnreadPage {
  channels: Omit<UnreadChannel, "mentionCount">[];
  /** The groups of this page. */
  places: Result<"group.listUserChannels">["places"];
  nextCursor: string | null;
}

export function unreadActions(dependencies: InboxDependencies): Handlers {
  const { node, follows } = dependencies;
  const { services } = dependencies.node;
  return {
    "channel.listUnread": async ({ params: { cursor }, actor: { userId } }) => {
      const [suppressed, unread] = await Promise.all([
        dependencies.settings.listSuppressed(userId),
        listUnread(dependencies, userId, cursor ?? null),
      ]);
      const keys = mentionKeys(userId, unread.places, suppressed);
      const channels = await withMentionCounts(services, userId, keys, unread.channels);
      return { channels, nextCursor: unread.nextCursor };
    },

    "channel.listFollowedThreads": async ({ params: { cursor, limit }, actor: { userId } }) => {
      const followed = await follows.listOf(userId);
      const seen = await boundedMap(followed, QUERY_CONCURRENCY, async ({ threadId }) => {
        const access = await node.access.get(userId, { channelId: threadId });
        return can(access, "view") ? [threadId] : [];
      });
      const { channels, nextCursor } = await services.channel.listGivenThreads({
        channelIds: seen.flat(),
        cursor,
        limit,
      });
      const channelIds = channels.map(({ id }) => id);
      const { heads } = await services.message.listHeads({ userId, channelIds });
      const states = channels.map((channel, index) => {
        const { head, lastReadSeq } = heads[index]!;
        return { ...channel, head, lastReadSeq };
      });
      return { channels: states, nextCursor };
    },

    /** Includes the threads that the user follows. */
    "inbox.markGroupRead": async ({ params: { groupId }, actor: { userId }, services }) => {
      const [channels, followed] = await Promise.all([
        listChannels(callOf(services), groupId),
        follows.listOf(userId),
      ]);
      const threads = threadsIn(followed, new Set(channels.map(({ id }) => id)));
      const channelIds = threads.map(({ channelId }) => channelId);
      const { heads } = await node.services.message.listHeads({ userId, channelIds });
      const seen = [...channels.map(({ id, ...state }) => ({ channelId: id, ...state })), ...heads];
      const unread = seen
        .filter(({ head, lastReadSeq }) => head.seq > lastReadSeq)
        .map(({ channelId, head }) => ({ channelId, seq: head.seq }));
      return { channelIds: await markRead(services, unread) };
    },

    /** The inbox is marked with the first page, so that messages that arrive later stay unread. */
    "inbox.markAllRead": async ({ params: { cursor }, actor: { userId }, services }) => {
      if (cursor === undefined) await markNewestMention(dependencies, userId);
      const { channels, nextCursor } = await listUnread(dependencies, userId, cursor ?? null);
      const unread = channels.map(({ channelId, head }) => ({ channelId, seq: head.seq }));
      return { channelIds: await markRead(services, unread), nextCursor };
    },
  };
}

/** Checks access per channel: those that the user can no longer see are skipped. */
async function markRead(services: Services, unread: readonly Unread[]): Promise<string[]> {
  const marked = await boundedMap(unread, QUERY_CONCURRENCY, async (channel) => {
    try {
      await services.channel.markRead(channel);
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
  const { messages } = await newestMentions(dependencies.node.services, keys, undefined, 1);
  const newest = messages[0];
  if (newest !== undefined) await advanceMarker(dependencies, userId, ["readUpToId"], newest.id);
}

/** A page of the channels that a user can see, with the threads they follow, and those of them with unread messages. */
async function listUnread(
  { node: { services }, follows }: Pick<InboxDependencies, "node" | "follows">,
  userId: string,
  cursor: string | null,
): Promise<UnreadPage> {
  const [{ channels, places, nextCursor }, followed] = await Promise.all([
    services.group.listUserChannels({ userId, cursor }),
    follows.listOf(userId),
  ]);
  const seen: SeenChannel[] = channels.map((channel) => ({ ...channel, parentId: null }));
  if (followed.length > 0)
    seen.push(...threadsIn(followed, new Set(channels.map(({ channelId }) => channelId))));
  const unread: UnreadPage["channels"] = [];
  for (const some of chunks(seen, LIMITS.channelsPerGroup)) {
    const channelIds = some.map(({ channelId }) => channelId);
    const { heads } = await services.message.listHeads({ userId, channelIds });
    for (const [index, { head, lastReadSeq }] of heads.entries()) {
      if (head.seq <= lastReadSeq) continue;
      unread.push({ ...some[index]!, head, lastReadSeq });
    }
  }
  return { channels: unread, places, nextCursor };
}

/** A thread is visible to everyone who can see its parent. */
function threadsIn(followed: readonly Thread[], parentIds: ReadonlySet<string>): SeenChannel[] {
  return followed
    .filter(({ parentId }) => parentIds.has(parentId))
    .map(({ threadId, parentId, groupId }) => ({ channelId: threadId, groupId, parentId }));
}

/** Counts the mentions after the read marker, in these channels only. Clients count those after the head themselves. */
async function withMentionCounts(
  services: Services,
  userId: string,
  keys: OwnMentionKeys,
  unread: UnreadPage["channels"],
): Promise<UnreadChannel[]> {
  const counted: UnreadChannel[] = [];
  for (const some of chunks(unread, LIMITS.channelsPerGroup)) {
    const channels = some.map(({ channelId, groupId, head, lastReadSeq }) => ({
      channelId,
      afterSeq: lastReadSeq,
      upToSeq: head.seq,
      keys: keys.in(groupId),
    }));
    const { counts } = await services.message.countMentions({ userId, channels });
    counted.push(...some.map((channel, index) => ({ ...channel, mentionCount: counts[index]! })));
  }
  return counted;
}
