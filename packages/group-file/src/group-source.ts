import type { GroupFileLineOf, Services } from "@fanfare/contract";

/** A page of lines, and the position after which the next page starts; null: this is the last page. */
export interface Page<T, P> {
  lines: T[];
  next: P | null;
}

/** A position in the messages of a channel: after a message, or after a user's reaction to it. */
export interface ReactionPosition {
  seq: number;
  emoji?: string | undefined;
  userId?: string | undefined;
}

/** Reads a group in pages. Lines can still refer to deleted channels, roles and users. */
export interface GroupSource {
  /** @returns the group, its roles, and the ids of its sections and channels in display order */
  head(): Promise<{
    group: GroupFileLineOf<"group">;
    roles: GroupFileLineOf<"role">[];
    sectionIds: string[];
    channelIds: string[];
  }>;
  /** The given channels that still exist, in the given order. */
  channels(channelIds: readonly string[]): Promise<GroupFileLineOf<"channel">[]>;

  threads(channelId: string, afterId: string | null): Promise<Page<GroupFileLineOf<"channel">, string>>;
  members(afterUserId: string | null): Promise<Page<GroupFileLineOf<"member">, string>>;
  /** Messages by seq, each followed by its reactions. */
  messages(
    channelId: string,
    after: ReactionPosition | null,
  ): Promise<Page<GroupFileLineOf<"message" | "reaction">, ReactionPosition>>;
  /** One line for each user, even if the user was deleted. */
  users(userIds: readonly string[]): Promise<GroupFileLineOf<"user">[]>;
}

/** Reads a group through the services. */
export function groupOfServices({ group, message, user }: Services, groupId: string): GroupSource {
  return {
    head: () => group.exportHead({ groupId }),
    async channels(channelIds) {
      const { lines } = await group.exportChannels({ groupId, channelIds: [...channelIds] });
      return lines;
    },
    threads: (channelId, afterId) => group.exportThreads({ groupId, channelId, afterId }),
    members: (afterUserId) => group.exportMembers({ groupId, afterUserId }),
    messages: (channelId, after) => message.exportChannel({ channelId, after }),
    async users(userIds) {
      const { lines } = await user.exportNames({ userIds: [...userIds] });
      return lines;
    },
  };
}
