import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";

/** One user wants nothing from another. */
interface BlockDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  blockedId: Types.ObjectId;
}

const blockSchema = new Schema<BlockDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    blockedId: { type: Schema.Types.ObjectId, required: true },
  },
  { collection: "blocks", writeConcern: DURABLE, versionKey: false },
);
blockSchema.index({ userId: 1, blockedId: 1 }, { unique: true });
blockSchema.index({ blockedId: 1, userId: 1 });

function blockModel(connection: Connection): Model<BlockDocument> {
  return connection.model<BlockDocument>("Block", blockSchema);
}

export type BlockRepository = ReturnType<typeof createBlockRepository>;

/** Every query of the collection blocks. */
export function createBlockRepository(connection: Connection) {
  const blocks = blockModel(connection);
  return {
    /** Twice is once. */
    async insert(userId: string, blockedId: string): Promise<void> {
      const block: BlockDocument = {
        _id: new Types.ObjectId(),
        userId: new Types.ObjectId(userId),
        blockedId: new Types.ObjectId(blockedId),
      };
      await blocks.collection.insertOne(block, { writeConcern: DURABLE }).catch((error: unknown) => {
        if (duplicateKeyIndex(error) === null) throw error;
      });
    },

    async remove(userId: string, blockedId: string): Promise<void> {
      await blocks.deleteOne({ userId, blockedId });
    },

    /** How many a user has, counted no further than `max`. */
    count: async (userId: string, max: number): Promise<number> =>
      (await blocks.find({ userId }, { _id: 1 }).limit(max).lean()).length,

    /** In the order of the ids of the blocked. */
    async listPage(userId: string, afterId: string | undefined, limit: number): Promise<string[]> {
      const found = await blocks
        .find({ userId, ...(afterId === undefined ? {} : { blockedId: { $gt: afterId } }) })
        .sort({ userId: 1, blockedId: 1 })
        .limit(limit)
        .lean();
      return found.map(({ blockedId }) => blockedId.toHexString());
    },

    /** Those of the users who have blocked `blockedId`. */
    async blockersAmong(userIds: readonly string[], blockedId: string): Promise<Set<string>> {
      const found = await blocks.find({ blockedId, userId: { $in: userIds } }, { userId: 1, _id: 0 }).lean();
      return new Set(found.map(({ userId }) => userId.toHexString()));
    },

    /** Those of the users whom `userId` has blocked. */
    async blockedAmong(userId: string, userIds: readonly string[]): Promise<Set<string>> {
      const found = await blocks
        .find({ userId, blockedId: { $in: userIds } }, { blockedId: 1, _id: 0 })
        .lean();
      return new Set(found.map(({ blockedId }) => blockedId.toHexString()));
    },

    /** Those that the user has made, and those of others against the user. */
    async removeAllOf(userId: string): Promise<void> {
      await blocks.deleteMany({ userId });
      await blocks.deleteMany({ blockedId: userId });
    },
  };
}
