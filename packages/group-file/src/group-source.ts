import type { GroupFileLineOf } from "@fanfare/contract";

/** Some lines, and behind what to go on; null: these are the last ones. */
export interface Page<T, P> {
  lines: T[];
  next: P | null;
}

/** In the messages of a channel: behind a message, or behind the reaction of a user to it. */
export interface ReactionPosition {
  seq: number;
  emoji?: string | undefined;
  userId?: string | undefined;
}

/** Where a group is read from, in pages; what was deleted may still be referred to. */
export interface GroupSource {
  /** @returns the channels that are no threads by their ids, in the order in which they are shown */
  head(): Promise<{
    group: GroupFileLineOf<"group">;
    roles: GroupFileLineOf<"role">[];
    sectionIds: string[];
    channelIds: string[];
  }>;
  /** Those of the channels that are still there, in the order of the ids that are given. */
  channels(channelIds: readonly string[]): Promise<GroupFileLineOf<"channel">[]>;
  /** The threads of a channel. */
  threads(channelId: string, afterId: string | null): Promise<Page<GroupFileLineOf<"channel">, string>>;
  members(afterUserId: string | null): Promise<Page<GroupFileLineOf<"member">, string>>;
  /** Messages in their order, and below each its reactions. */
  messages(
    channelId: string,
    after: ReactionPosition | null,
  ): Promise<Page<GroupFileLineOf<"message" | "reaction">, ReactionPosition>>;
  /** Of each one line, also where nothing is known of it any more. */
  users(userIds: readonly string[]): Promise<GroupFileLineOf<"user">[]>;
}
