import { defineRepository, REQUIRED_ID, upsert } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A user who was in a group, so its channels may contain their messages. They can be a member again. */
interface FormerMemberDocument {
  _id: string;
  /** A group or a group DM. */
  groupId: string;
  userId: string;
  /** Joins requested before this time are rejected. Absent in old documents. */
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

/** Queries of the collection formerMembers. */
export const createFormerMemberRepository = defineRepository(
  { name: "FormerMember", schema },
  ({ model: formers, removeSome }) => ({
    async note(groupId: string, userId: string): Promise<void> {
      const leftAt = new Date();
      await upsert(() => formers.updateOne({ groupId, userId }, { $max: { leftAt } }, { upsert: true }));
    },

    /** Whether the user left the group or was removed from it after `atMs` (milliseconds since the epoch). */
    async hasLeftSince(groupId: string, userId: string, atMs: number): Promise<boolean> {
      const found = await formers.findOne({ userId, groupId }, { leftAt: 1 }).lean();
      return found?.leftAt !== undefined && found.leftAt.getTime() > atMs;
    },

    /** Groups and direct channels that the user was in, sorted by id. */
    async listGroupIds(userId: string, afterGroupId: string | null, limit: number): Promise<string[]> {
      const found = await formers
        .find({ userId, ...(afterGroupId !== null && { groupId: { $gt: afterGroupId } }) }, { groupId: 1 })
        .sort({ userId: 1, groupId: 1 })
        .limit(limit)
        .lean();
      return found.map(({ groupId }) => groupId);
    },

    /** @returns the number of removed entries: fewer than `limit` when none are left */
    removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),

    /** The same for one user. */
    removeSomeOf: (userId: string, limit: number) => removeSome({ userId }, limit),
  }),
);
