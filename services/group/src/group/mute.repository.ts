import { createBatcher, defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** The mute of a former member, which is restored when they rejoin. */
interface MuteDocument {
  _id: string;
  groupId: string;
  userId: string;
  mutedUntil: Date;
}

const schema = new Schema<MuteDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    mutedUntil: { type: Date, required: true },
  },
  { collection: "mutes" },
);
schema.index({ groupId: 1, userId: 1 }, { unique: true });
// Only for cleanup: readers compare the time themselves.
schema.index({ mutedUntil: 1 }, { expireAfterSeconds: 0 });

/** Queries of the collection mutes. */
export const createMuteRepository = defineRepository(
  { name: "Mute", schema },
  ({ model: mutes, removeSome, remove }) => {
    const mutedAmong = createBatcher(async (groupId, userIds: string[]) => {
      const found = await mutes.find({ groupId, userId: { $in: userIds } }).lean();
      return new Map(found.map(({ userId, mutedUntil }) => [userId, mutedUntil]));
    });
    return {
      async keep(groupId: string, userId: string, mutedUntil: Date): Promise<void> {
        await mutes.updateOne({ groupId, userId }, { $set: { mutedUntil } }, { upsert: true });
      },

      /** @returns null when the user was not muted when they left */
      find: async (groupId: string, userId: string): Promise<Date | null> =>
        (await mutedAmong(groupId, userId)).get(userId) ?? null,

      remove: (groupId: string, userId: string) => remove({ groupId, userId }),

      /** @returns the number of removed mutes: fewer than `limit` when none are left */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);
