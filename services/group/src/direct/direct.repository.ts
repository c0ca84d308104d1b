import { LIMITS } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { activeBefore, type ActivityCursor } from "../activity.ts";
import { channelCollection, type ChannelDocument } from "../channel/channel.model.ts";

export type DirectRepository = ReturnType<typeof createDirectRepository>;

/** Queries of the collection channels about direct channels. */
export const createDirectRepository = defineRepository(
  channelCollection,
  ({ model: channels, listIds, update, change }) => {
    const alive = { deletedAt: null };
    const last = `memberIds.${LIMITS.membersPerGroupDirect - 1}`;
    return {
      find: (directKey: string) => channels.findOne({ directKey }).lean(),

      /** @returns those of the keys that have a direct channel */
      async listKeys(directKeys: readonly string[]): Promise<Set<string>> {
        if (directKeys.length === 0) return new Set();
        const found = await channels
          .find({ directKey: { $in: directKeys } }, { directKey: 1, _id: 0 })
          .lean();
        return new Set(found.map(({ directKey }) => directKey!));
      },

      /** Most recently active first; includes closed ones. */
      listOf: (userId: string, before: ActivityCursor | undefined, limit: number) =>
        channels
          .find({ memberIds: userId, ...(before === undefined ? {} : activeBefore(before)) })
          .sort({ lastActivityAt: -1, _id: -1 })
          .limit(limit)
          .lean(),

      /** Reads at most `max` entries. */
      countOf: (userId: string, max: number) =>
        channels.countDocuments({ memberIds: userId }, { limit: max }),

      listGroupDirectIds: (userId: string) =>
        listIds({ memberIds: userId, kind: "groupDirect", ...alive }, LIMITS.directChannelsPerUser),

      /** Includes closed ones; the most recently active ones when there are more than the limit. */
      async listIds(userId: string): Promise<string[]> {
        const found = await channels
          .find({ memberIds: userId }, { deletedAt: 1 })
          .sort({ lastActivityAt: -1, _id: -1 })
          .limit(2 * LIMITS.directChannelsPerUser)
          .lean();
        return found.filter(({ deletedAt }) => deletedAt === undefined).map(({ _id }) => _id);
      },

      /** All users who share a group DM with the user. */
      async listCompanions(userId: string): Promise<Set<string>> {
        const found = await channels
          .find({ memberIds: userId, kind: "groupDirect" }, { memberIds: 1 })
          .limit(LIMITS.directChannelsPerUser)
          .lean();
        return new Set(found.flatMap(({ memberIds }) => memberIds ?? []));
      },

      /** @returns null when the user is already a member, or the channel is full or deleted */
      addMember: (channelId: string, userId: string) =>
        change(
          {
            _id: channelId,
            kind: "groupDirect",
            memberIds: { $ne: userId },
            [last]: { $exists: false },
            ...alive,
          },
          { $push: { memberIds: userId } },
        ),

      /** @returns null when the user is not a member, or is the last one */
      removeMember: (channelId: string, userId: string) =>
        change(
          { _id: channelId, kind: "groupDirect", memberIds: userId, "memberIds.1": { $exists: true } },
          { $pull: { memberIds: userId }, $unset: { [`closedAtSeq.${userId}`]: 1 } },
        ),

      /** @returns false when it has other members */
      markDeletedBy: (channelId: string, userId: string) =>
        update({ _id: channelId, memberIds: [userId], ...alive }, { $set: { deletedAt: new Date() } }),

      rename: (channelId: string, name: string) =>
        change({ _id: channelId, kind: "groupDirect", ...alive }, { $set: { name } }),

      close: (channelId: string, userId: string, seq: number) =>
        update({ _id: channelId, memberIds: userId }, { $set: { [`closedAtSeq.${userId}`]: seq } }),

      reopen: (channelId: string, userId: string) =>
        update({ _id: channelId, memberIds: userId }, { $unset: { [`closedAtSeq.${userId}`]: 1 } }),
    };
  },
);

/** Whether the user has closed it and nothing was written since. */
export function isClosed({ closedAtSeq }: ChannelDocument, userId: string, headSeq: number): boolean {
  const seq = closedAtSeq?.[userId];
  return seq !== undefined && headSeq <= seq;
}
