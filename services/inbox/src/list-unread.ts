import { LIMITS, type Call, type Result, type UnreadChannel } from "@fanfare/contract";
import { chunks } from "./chunks.ts";
import type { Thread } from "./follow.repository.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import type { OwnMentionKeys } from "./own-mention-keys.ts";

type SeenChannel = Pick<UnreadChannel, "channelId" | "groupId" | "parentId">;

export interface UnreadPage {
  channels: Omit<UnreadChannel, "mentionCount">[];
  /** The groups that were looked at. */
  places: Result<"group.listUserChannels">["places"];
  nextCursor: string | null;
}

/** A page of the channels that a user sees, with the threads there that the user takes part in, and of them those in which something is unread. */
export async function listUnread(
  { node: { call }, follows }: Pick<InboxDependencies, "node" | "follows">,
  userId: string,
  cursor: string | null,
): Promise<UnreadPage> {
  const [{ channels, places, nextCursor }, followed] = await Promise.all([
    call("group.listUserChannels", { userId, cursor }),
    follows.listOf(userId),
  ]);
  const seen: SeenChannel[] = channels.map((channel) => ({ ...channel, parentId: null }));
  if (followed.length > 0)
    seen.push(...threadsIn(followed, new Set(channels.map(({ channelId }) => channelId))));
  const unread: UnreadPage["channels"] = [];
  for (const some of chunks(seen, LIMITS.channelsPerGroup)) {
    const channelIds = some.map(({ channelId }) => channelId);
    const { heads } = await call("message.listHeads", { userId, channelIds });
    for (const [index, { head, lastReadSeq }] of heads.entries()) {
      if (head.seq <= lastReadSeq) continue;
      unread.push({ ...some[index]!, head, lastReadSeq });
    }
  }
  return { channels: unread, places, nextCursor };
}

/** Whoever sees the parent sees the thread. */
export function threadsIn(followed: readonly Thread[], parentIds: ReadonlySet<string>): SeenChannel[] {
  return followed
    .filter(({ parentId }) => parentIds.has(parentId))
    .map(({ threadId, parentId, groupId }) => ({ channelId: threadId, groupId, parentId }));
}

/** Counts the mentions after what was read, in these channels only. */
export async function withMentionCounts(
  call: Call,
  userId: string,
  keys: OwnMentionKeys,
  unread: UnreadPage["channels"],
): Promise<UnreadChannel[]> {
  const counted: UnreadChannel[] = [];
  for (const some of chunks(unread, LIMITS.channelsPerGroup)) {
    const channels = some.map(({ channelId, groupId, lastReadSeq }) => ({
      channelId,
      afterSeq: lastReadSeq,
      keys: keys.in(groupId),
    }));
    const { counts } = await call("message.countMentions", { userId, channels });
    counted.push(...some.map((channel, index) => ({ ...channel, mentionCount: counts[index]! })));
  }
  return counted;
}
