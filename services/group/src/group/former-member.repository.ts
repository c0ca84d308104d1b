import { defineRepository, REQUIRED_ID, upsert } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A user who has been in a group, so its channels may hold their messages. They may be a member again. */
interface FormerMemberDocument {
  _id: string;
  /** A group, or a direct channel of several. */
  groupId: string;
  userId: string;
  /** The epoch of the membership: a join that was asked for before the latest removal is refused. Absent in old documents. */
  leftAt?: Date;
}

const schema = new Schema<FormerMemberDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    leftAt: { type: Date },
  },
  { collection: "formerMembers" },
);
schema.index({ userId: 1, groupId: 1 }, { unique: true });
schema.index({ groupId: 1 });

/** Every query of the collection formerMembers. */
export const createFormerMemberRepository = defineRepository(
  { name: "FormerMember", schema },
  ({ model: formers, removeSome }) => ({
    async note(groupId: string, userId: string): Promise<void> {
      const leftAt = new Date();
      await upsert(() => formers.updateOne({ groupId, userId }, { $max: { leftAt } }, { upsert: true }));
    },

    /** Whether the user was removed from the group, or left it, after `atMs` (milliseconds since the epoch). */
    async hasLeftSince(groupId: string, userId: string, atMs: number): Promise<boolean> {
      const found = await formers.findOne({ userId, groupId }, { leftAt: 1 }).lean();
      return found?.leftAt !== undefined && found.leftAt.getTime() > atMs;
    },

    /** Groups, and direct channels, that a user was in, in the order of their ids. */
    async listGroupIds(userId: string, afterGroupId: string | null, limit: number): Promise<string[]> {
      const found = await formers
        .find({ userId, ...(afterGroupId !== null && { groupId: { $gt: afterGroupId } }) }, { groupId: 1 })
        .sort({ userId: 1, groupId: 1 })
        .limit(limit)
        .lean();
      return found.map(({ groupId }) => groupId);
    },

    /** @returns how many were removed: fewer than `limit` when none are left. */
    removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),

    /** The same of one user. */
    removeSomeOf: (userId: string, limit: number) => removeSome({ userId }, limit),
  }),
);
