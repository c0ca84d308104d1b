import { createBatcher, defineRepository, newId, REQUIRED_ID, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface BanDocument {
  _id: string;
  groupId: string;
  userId: string;
  bannedBy: string;
  reason?: string | null;
  createdAt: Date;
}

const schema = new Schema<BanDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    bannedBy: REQUIRED_ID,
    reason: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "bans" },
);
schema.index({ groupId: 1, userId: 1 }, { unique: true });

/** Queries of the collection bans. */
export const createBanRepository = defineRepository(
  { name: "Ban", schema },
  ({ model: bans, insert, removeSome, remove }) => {
    const bannedAmong = createBatcher(async (groupId, userIds: string[]) => {
      const found = await bans.find({ groupId, userId: { $in: userIds } }, { userId: 1, _id: 0 }).lean();
      return new Set(found.map(({ userId }) => userId));
    });
    return {
      /** Does nothing when the user is already banned. */
      async insert(groupId: string, userId: string, bannedBy: string, reason?: string): Promise<void> {
        const createdAt = new Date();
        await nullIfDuplicate(
          insert({ _id: newId(), groupId, userId, bannedBy, reason: reason ?? null, createdAt }),
        );
      },

      /** Sorted by user id. */
      listPage: (groupId: string, afterUserId: string | undefined, limit: number) =>
        bans
          .find({ groupId, ...(afterUserId !== undefined && { userId: { $gt: afterUserId } }) })
          .sort({ groupId: 1, userId: 1 })
          .limit(limit)
          .lean(),

      exists: async (groupId: string, userId: string): Promise<boolean> =>
        (await bannedAmong(groupId, userId)).has(userId),

      /** @returns false when the user was not banned */
      remove: (groupId: string, userId: string) => remove({ groupId, userId }),

      /** @returns the number of removed bans: fewer than `limit` when none are left */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);
