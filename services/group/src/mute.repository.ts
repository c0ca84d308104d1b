import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { createGather } from "./database.ts";

/** The mute of a former member, who is still muted after joining again. */
interface MuteDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  mutedUntil: Date;
}

const muteSchema = new Schema<MuteDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    mutedUntil: { type: Date, required: true },
  },
  { collection: "mutes", writeConcern: DURABLE, versionKey: false },
);
muteSchema.index({ groupId: 1, userId: 1 }, { unique: true });
// Cleans up only: a mute that has passed is none wherever it is read.
muteSchema.index({ mutedUntil: 1 }, { expireAfterSeconds: 0 });

function muteModel(connection: Connection): Model<MuteDocument> {
  return connection.model<MuteDocument>("Mute", muteSchema);
}

export type MuteRepository = ReturnType<typeof createMuteRepository>;

/** Every query of the collection mutes. */
export function createMuteRepository(connection: Connection) {
  const mutes = muteModel(connection);
  const mutedAmong = createGather(async (groupId, userIds: string[]) => {
    const found = await mutes.find({ groupId, userId: { $in: userIds } }).lean();
    return new Map(found.map(({ userId, mutedUntil }) => [userId.toHexString(), mutedUntil]));
  });
  return {
    async keep(groupId: string, userId: string, mutedUntil: Date): Promise<void> {
      const kept = mutes.updateOne({ groupId, userId }, { $set: { mutedUntil } }, { upsert: true });
      await kept.catch((error: unknown) => {
        // Another removal of the same member has just kept it.
        if (duplicateKeyIndex(error) === null) throw error;
      });
    },

    /** null when the user was not muted on the way out. */
    find: async (groupId: string, userId: string): Promise<Date | null> =>
      (await mutedAmong(groupId, userId)).get(userId) ?? null,

    async remove(groupId: string, userId: string): Promise<void> {
      await mutes.deleteOne({ groupId, userId });
    },

    /** @returns how many were removed: fewer than `limit` when none are left. */
    async removeSome(groupId: string, limit: number): Promise<number> {
      const found = await mutes.find({ groupId }, { _id: 1 }).limit(limit).lean();
      await mutes.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length;
    },
  };
}
