import { LIMITS } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema, Types } from "mongoose";

/** A user who follows a thread because they opened it, wrote in it or were mentioned in it. */
interface FollowDocument {
  _id: string;
  userId: string;
  threadId: string;
  parentId: string;
  groupId: string;
  /** The last time they did. */
  at: Date;
}

const schema = new Schema<FollowDocument>(
  {
    userId: REQUIRED_ID,
    threadId: REQUIRED_ID,
    parentId: REQUIRED_ID,
    groupId: REQUIRED_ID,
    at: { type: Date, required: true },
  },
  { collection: "threadFollows" },
)
  .index({ threadId: 1, userId: 1 }, { unique: true, name: "thread_user" })
  .index({ userId: 1, at: -1 }, { name: "user_at" })
  .index({ at: 1 }, { name: "age", expireAfterSeconds: LIMITS.threadFollowedMs / 1000 });

export interface Thread {
  threadId: string;
  parentId: string;
  groupId: string;
}

export type FollowRepository = ReturnType<typeof createFollowRepository>;

/** Queries of the collection threadFollows. */
export const createFollowRepository = defineRepository(
  { name: "ThreadFollow", schema, durable: false },
  ({ model: follows, native, removeAll }) => ({
    /** @returns the users who were not following the thread before */
    async add({ threadId, parentId, groupId }: Thread, userIds: readonly string[]): Promise<string[]> {
      const [thread, parent, group] = [threadId, parentId, groupId].map((id) => new Types.ObjectId(id));
      const operations = userIds.map((userId) => ({
        updateOne: {
          filter: { threadId: thread, userId: new Types.ObjectId(userId) },
          update: { $set: { parentId: parent, groupId: group }, $max: { at: new Date() } },
          upsert: true,
        },
      }));
      const { upsertedIds } = await native.bulkWrite(operations, {
        ordered: false,
        maxTimeMS: LIMITS.writeTimeoutMs,
      });
      return userIds.filter((_, index) => upsertedIds[index] !== undefined);
    },

    /** The most recent ones. */
    async listOf(userId: string): Promise<Thread[]> {
      return follows
        .find({ userId }, { threadId: 1, parentId: 1, groupId: 1, _id: 0 })
        .sort({ at: -1 })
        .limit(LIMITS.threadsFollowedPerUser)
        .lean();
    },

    removeOfThreads: (threadIds: readonly string[]) => removeAll({ threadId: { $in: threadIds } }),

    removeAll: (userId: string) => removeAll({ userId }),
  }),
);
