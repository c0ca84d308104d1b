import { createBatcher, defineRepository, newId, REQUIRED_ID, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** `userId` has blocked `blockedId`. */
interface BlockDocument {
  _id: string;
  userId: string;
  blockedId: string;
}

const schema = new Schema<BlockDocument>(
  {
    userId: REQUIRED_ID,
    blockedId: REQUIRED_ID,
  },
  { collection: "blocks" },
);
schema.index({ userId: 1, blockedId: 1 }, { unique: true });
schema.index({ blockedId: 1, userId: 1 });

/** Concurrent questions that share a query. */
const QUESTIONS_PER_QUERY = 100;

export type BlockRepository = ReturnType<typeof createBlockRepository>;

/** Queries of the collection blocks. */
export const createBlockRepository = defineRepository(
  { name: "Block", schema },
  ({ model: blocks, insert, remove }) => {
    const pairsAmong = createBatcher(
      async (_all, questions: { userId: string; userIds: readonly string[] }[]) => {
        const $or = questions.flatMap(({ userId, userIds }) => [
          { userId, blockedId: { $in: userIds } },
          { blockedId: userId, userId: { $in: userIds } },
        ]);
        const found = await blocks.find({ $or }, { userId: 1, blockedId: 1, _id: 0 }).lean();
        return new Set(found.map(({ userId, blockedId }) => pairOf(userId, blockedId)));
      },
      { maxBatch: QUESTIONS_PER_QUERY },
    );
    return {
      /** Does nothing when the block exists. */
      async insert(userId: string, blockedId: string): Promise<void> {
        await nullIfDuplicate(insert({ _id: newId(), userId, blockedId }));
      },

      remove: (userId: string, blockedId: string) => remove({ userId, blockedId }),

      /** @returns the number of the user's blocks, at most `max` */
      count: (userId: string, max: number) => blocks.countDocuments({ userId }, { limit: max }),

      /** Sorted by the id of the blocked user. */
      async listPage(userId: string, afterId: string | undefined, limit: number): Promise<string[]> {
        const found = await blocks
          .find({ userId, ...(afterId === undefined ? {} : { blockedId: { $gt: afterId } }) })
          .sort({ userId: 1, blockedId: 1 })
          .limit(limit)
          .lean();
        return found.map(({ blockedId }) => blockedId);
      },

      /** @returns those of the users who have blocked `blockedId` */
      async blockersAmong(userIds: readonly string[], blockedId: string): Promise<Set<string>> {
        const found = await blocks
          .find({ blockedId, userId: { $in: userIds } }, { userId: 1, _id: 0 })
          .lean();
        return new Set(found.map(({ userId }) => userId));
      },

      /** @returns those of the users who have blocked the user, or whom the user has blocked */
      async among(userId: string, userIds: readonly string[]): Promise<Set<string>> {
        const found = await pairsAmong("", { userId, userIds });
        return new Set(
          userIds.filter((id) => found.has(pairOf(userId, id)) || found.has(pairOf(id, userId))),
        );
      },

      /** Removes the user's blocks and those of others against the user. */
      async removeAllOf(userId: string): Promise<void> {
        await blocks.deleteMany({ userId });
        await blocks.deleteMany({ blockedId: userId });
      },
    };
  },
);

const pairOf = (userId: string, blockedId: string): string => `${userId} ${blockedId}`;
