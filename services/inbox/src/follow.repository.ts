import { LIMITS } from "@fanfare/contract";
import { Schema, type Connection, type Model, Types, mongo } from "mongoose";

/** A user has taken part in a thread: has opened it, written in it or been named in it. */
interface FollowDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  threadId: Types.ObjectId;
  parentId: Types.ObjectId;
  groupId: Types.ObjectId;
  /** When the user did last. */
  at: Date;
}

const id = { type: Schema.Types.ObjectId, required: true };
const schema = new Schema<FollowDocument>(
  { userId: id, threadId: id, parentId: id, groupId: id, at: { type: Date, required: true } },
  { collection: "threadFollows", versionKey: false },
)
  .index({ threadId: 1, userId: 1 }, { unique: true, name: "thread_user" })
  .index({ userId: 1, at: -1 }, { name: "user_at" })
  .index({ at: 1 }, { name: "age", expireAfterSeconds: LIMITS.threadFollowedMs / 1000 });

function followModel(connection: Connection): Model<FollowDocument> {
  return connection.model<FollowDocument>("ThreadFollow", schema);
}

export interface Thread {
  threadId: string;
  parentId: string;
  groupId: string;
}

export type FollowRepository = ReturnType<typeof createFollowRepository>;

const DUPLICATE_KEY = 11_000;

/** Every query of the collection threadFollows. */
export function createFollowRepository(connection: Connection) {
  const follows = followModel(connection);
  const native = follows.collection;
  return {
    async add({ threadId, parentId, groupId }: Thread, userIds: readonly string[]): Promise<void> {
      const [thread, parent, group] = [threadId, parentId, groupId].map((id) => new Types.ObjectId(id));
      const operations = userIds.map((userId) => ({
        updateOne: {
          filter: { threadId: thread, userId: new Types.ObjectId(userId) },
          update: { $set: { parentId: parent, groupId: group }, $max: { at: new Date() } },
          upsert: true,
        },
      }));
      try {
        await native.bulkWrite(operations, { ordered: false });
      } catch (error) {
        if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
        // Another process has just noted the same.
        if (error.result.getWriteErrors().some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      }
    },

    /** The last ones. */
    async listOf(userId: string): Promise<Thread[]> {
      const found = await native
        .find(
          { userId: new Types.ObjectId(userId) },
          { projection: { threadId: 1, parentId: 1, groupId: 1, _id: 0 } },
        )
        .sort({ at: -1 })
        .limit(LIMITS.threadsFollowedPerUser)
        .toArray();
      return found.map(({ threadId, parentId, groupId }) => ({
        threadId: threadId.toHexString(),
        parentId: parentId.toHexString(),
        groupId: groupId.toHexString(),
      }));
    },

    async removeOfThreads(threadIds: readonly string[]): Promise<void> {
      await follows.deleteMany({ threadId: { $in: threadIds } });
    },

    async removeAll(userId: string): Promise<void> {
      await follows.deleteMany({ userId });
    },
  };
}
