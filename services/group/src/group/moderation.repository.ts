import { createBatcher, defineRepository, newId, REQUIRED_ID, nullIfDuplicate, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { MessageRules, WordFilter } from "@fanfare/contract";

export interface BanDocument {
  _id: string;
  groupId: string;
  userId: string;
  bannedBy: string;
  reason?: string | null;
  createdAt: Date;
}

const banSchema = new Schema<BanDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    bannedBy: REQUIRED_ID,
    reason: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "bans" },
);
banSchema.index({ groupId: 1, userId: 1 }, { unique: true });

/** Queries of the collection bans. */
export const createBanRepository = defineRepository(
  { name: "Ban", schema: banSchema },
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

/** The mute of a former member, which is restored when they rejoin. */
interface MuteDocument {
  _id: string;
  groupId: string;
  userId: string;
  mutedUntil: Date;
}

const muteSchema = new Schema<MuteDocument>(
  { groupId: REQUIRED_ID, userId: REQUIRED_ID, mutedUntil: { type: Date, required: true } },
  { collection: "mutes" },
);
muteSchema.index({ groupId: 1, userId: 1 }, { unique: true });
// Only for cleanup: readers compare the time themselves.
muteSchema.index({ mutedUntil: 1 }, { expireAfterSeconds: 0 });

/** Queries of the collection mutes. */
export const createMuteRepository = defineRepository(
  { name: "Mute", schema: muteSchema },
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

export interface StoredWordFilter extends Omit<WordFilter, "rules"> {
  /** Older documents don't have this field. */
  rules?: MessageRules;
}

/** Stored separately from the group, which is read much more often. */
interface WordFilterDocument extends StoredWordFilter {
  /** The group id. */
  _id: string;
  rev: number;
}

export const NO_RULES: MessageRules = { links: null, mentions: null, repeats: null, newAccounts: null };
export const NO_FILTER: WordFilter = { words: [], onHit: "block", rules: NO_RULES };

const wordFilterSchema = new Schema<WordFilterDocument>(
  {
    _id: ID,
    rev: { type: Number, required: true },
    words: { type: [String], required: true },
    onHit: { type: String, required: true },
    rules: Schema.Types.Mixed,
  },
  { collection: "wordFilters" },
);

/** Queries of the collection wordFilters. */
export const createWordFilterRepository = defineRepository(
  { name: "WordFilter", schema: wordFilterSchema },
  ({ model: filters, remove }) => ({
    find: (groupId: string) => filters.findById(groupId).lean(),

    /**
     * Only changes what is given, so that concurrent changes are all kept.
     * @returns the filter with its new rev
     */
    async change(groupId: string, changes: Partial<StoredWordFilter>): Promise<WordFilterDocument> {
      const others = Object.entries(NO_FILTER).filter(([name]) => !(name in changes));
      const change = { $set: changes, $setOnInsert: Object.fromEntries(others), $inc: { rev: 1 } };
      const options = { upsert: true, returnDocument: "after" } as const;
      return filters.findOneAndUpdate({ _id: groupId }, change, options).lean();
    },

    remove: (groupId: string) => remove({ _id: groupId }),
  }),
);
