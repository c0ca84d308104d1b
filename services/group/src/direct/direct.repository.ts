import { LIMITS } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { activeBefore, type ActivityCursor } from "../activity.ts";
import { channelCollection, type ChannelDocument } from "../channel/channel.model.ts";

export type DirectRepository = ReturnType<typeof createDirectRepository>;

/** Every query of the collection channels that is about direct ones. */
export const createDirectRepository = defineRepository(
  channelCollection,
  ({ model: channels, listIds, update, change }) => {
    const alive = { deletedAt: null };
    const last = `memberIds.${LIMITS.membersPerGroupDirect - 1}`;
    return {
      find: (directKey: string) => channels.findOne({ directKey }).lean(),

      /** Those of the keys that there is a direct channel for. */
      async listKeys(directKeys: readonly string[]): Promise<Set<string>> {
        if (directKeys.length === 0) return new Set();
        const found = await channels
          .find({ directKey: { $in: directKeys } }, { directKey: 1, _id: 0 })
          .lean();
        return new Set(found.map(({ directKey }) => directKey!));
      },

      /** Those in which something was written last first; closed ones too. */
      listOf: (userId: string, before: ActivityCursor | undefined, limit: number) =>
        channels
          .find({ memberIds: userId, ...(before === undefined ? {} : activeBefore(before)) })
          .sort({ lastActivityAt: -1, _id: -1 })
          .limit(limit)
          .lean(),

      /** Reads `max` entries at most. */
      countOf: (userId: string, max: number) =>
        channels.countDocuments({ memberIds: userId }, { limit: max }),

      listGroupDirectIds: (userId: string) =>
        listIds({ memberIds: userId, kind: "groupDirect", ...alive }, LIMITS.directChannelsPerUser),

      /** Closed ones too; of more than the limit the last used. */
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

      /** null when the user is in it already, when it is full, or gone. */
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

      /** null when the user is not in it, or the only one. */
      removeMember: (channelId: string, userId: string) =>
        change(
          { _id: channelId, kind: "groupDirect", memberIds: userId, "memberIds.1": { $exists: true } },
          { $pull: { memberIds: userId }, $unset: { [`closedAtSeq.${userId}`]: 1 } },
        ),

      /** false when there are others in it. */
      markDeletedBy: (channelId: string, userId: string) =>
        update(
          { _id: channelId, kind: "groupDirect", memberIds: [userId], ...alive },
          { $set: { deletedAt: new Date() } },
        ),

      rename: (channelId: string, name: string) =>
        change({ _id: channelId, kind: "groupDirect", ...alive }, { $set: { name } }),

      close: (channelId: string, userId: string, seq: number) =>
        update({ _id: channelId, memberIds: userId }, { $set: { [`closedAtSeq.${userId}`]: seq } }),

      reopen: (channelId: string, userId: string) =>
        update({ _id: channelId, memberIds: userId }, { $unset: { [`closedAtSeq.${userId}`]: 1 } }),
    };
  },
);

/** Whether the user has put it out of sight, and nothing was written since. */
export function isClosed({ closedAtSeq }: ChannelDocument, userId: string, headSeq: number): boolean {
  const seq = closedAtSeq?.[userId];
  return seq !== undefined && headSeq <= seq;
}
