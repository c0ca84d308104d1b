import { LIMITS, type Call, type Result, type UnreadChannel } from "@fanfare/contract";
import { chunks } from "./chunks.ts";
import type { OwnMentionKeys } from "./own-mention-keys.ts";

export interface UnreadPage {
  channels: Omit<UnreadChannel, "mentionCount">[];
  /** The groups that were looked at. */
  places: Result<"group.listUserChannels">["places"];
  nextCursor: string | null;
}

/** A page of the channels that a user sees, and of them those in which something is unread. */
export async function listUnread(call: Call, userId: string, cursor: string | null): Promise<UnreadPage> {
  const { channels, places, nextCursor } = await call("group.listUserChannels", { userId, cursor });
  const unread: UnreadPage["channels"] = [];
  for (const some of chunks(channels, LIMITS.channelsPerGroup)) {
    const channelIds = some.map(({ channelId }) => channelId);
    const { heads } = await call("message.listHeads", { userId, channelIds });
    for (const [index, { channelId, head, lastReadSeq }] of heads.entries()) {
      if (head.seq <= lastReadSeq) continue;
      unread.push({ channelId, groupId: some[index]!.groupId, head, lastReadSeq });
    }
  }
  return { channels: unread, places, nextCursor };
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
