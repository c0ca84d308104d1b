import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";
import { createGather } from "./database.ts";

export interface BanDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  bannedBy: Types.ObjectId;
  reason?: string | null;
  createdAt: Date;
}

const banSchema = new Schema<BanDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    bannedBy: { type: Schema.Types.ObjectId, required: true },
    reason: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "bans", writeConcern: DURABLE, versionKey: false },
);
banSchema.index({ groupId: 1, userId: 1 }, { unique: true });

function banModel(connection: Connection): Model<BanDocument> {
  return connection.model<BanDocument>("Ban", banSchema);
}

export type BanRepository = ReturnType<typeof createBanRepository>;

/** Every query of the collection bans. */
export function createBanRepository(connection: Connection) {
  const bans = banModel(connection);
  const bannedAmong = createGather(async (groupId, userIds: string[]) => {
    const found = await bans.find({ groupId, userId: { $in: userIds } }, { userId: 1, _id: 0 }).lean();
    return new Set(found.map(({ userId }) => userId.toHexString()));
  });
  return {
    /** Changes nothing when there is one already. */
    async insert(groupId: string, userId: string, bannedBy: string, reason?: string): Promise<void> {
      const ban: BanDocument = {
        _id: new Types.ObjectId(),
        groupId: new Types.ObjectId(groupId),
        userId: new Types.ObjectId(userId),
        bannedBy: new Types.ObjectId(bannedBy),
        reason: reason ?? null,
        createdAt: new Date(),
      };
      await bans.collection.insertOne(ban, { writeConcern: DURABLE }).catch((error: unknown) => {
        if (duplicateKeyIndex(error) === null) throw error;
      });
    },

    /** In the order of the user ids. */
    listPage: (groupId: string, afterUserId: string | undefined, limit: number) =>
      bans
        .find({ groupId, ...(afterUserId !== undefined && { userId: { $gt: afterUserId } }) })
        .sort({ groupId: 1, userId: 1 })
        .limit(limit)
        .lean(),

    exists: async (groupId: string, userId: string): Promise<boolean> =>
      (await bannedAmong(groupId, userId)).has(userId),

    /** false when there was none. */
    async remove(groupId: string, userId: string): Promise<boolean> {
      return (await bans.deleteOne({ groupId, userId })).deletedCount === 1;
    },

    /** @returns how many were removed: fewer than `limit` when none are left. */
    async removeSome(groupId: string, limit: number): Promise<number> {
      const found = await bans.find({ groupId }, { _id: 1 }).limit(limit).lean();
      await bans.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length;
    },
  };
}
