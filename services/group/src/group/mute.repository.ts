import { defineRepository, REQUIRED_ID, unlessDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { createGather } from "../database.ts";

/** The mute of a former member, who is still muted after joining again. */
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
// Cleans up only: a mute that has passed is none wherever it is read.
schema.index({ mutedUntil: 1 }, { expireAfterSeconds: 0 });

/** Every query of the collection mutes. */
export const createMuteRepository = defineRepository(
  { name: "Mute", schema },
  ({ model: mutes, removeSome, remove }) => {
    const mutedAmong = createGather(async (groupId, userIds: string[]) => {
      const found = await mutes.find({ groupId, userId: { $in: userIds } }).lean();
      return new Map(found.map(({ userId, mutedUntil }) => [userId, mutedUntil]));
    });
    return {
      async keep(groupId: string, userId: string, mutedUntil: Date): Promise<void> {
        // A duplicate: another removal of the same member has just kept it.
        await unlessDuplicate(
          mutes.updateOne({ groupId, userId }, { $set: { mutedUntil } }, { upsert: true }),
        );
      },

      /** null when the user was not muted on the way out. */
      find: async (groupId: string, userId: string): Promise<Date | null> =>
        (await mutedAmong(groupId, userId)).get(userId) ?? null,

      remove: (groupId: string, userId: string) => remove({ groupId, userId }),

      /** @returns how many were removed: fewer than `limit` when none are left. */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);
