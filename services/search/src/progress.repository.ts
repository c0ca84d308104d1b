import { LIMITS } from "@fanfare/contract";
import { Schema, Types } from "mongoose";
import { chunks, defineRepository, duplicateOperations, ID } from "@fanfare/kernel";
import { CHANNELS_PER_LOOKUP, GROUP_PROGRESS_LIFETIME_S } from "./constants.ts";

/** The indexing progress of a channel: all changes up to `rev` are indexed. */
interface ProgressDocument {
  /** The channel id. */
  _id: string;
  rev: number;
  /** The version of the entries. */
  version: string;
  /** For a thread, the channel that its entries are stored under. null: not a thread. */
  parentId: string | null;
}

const schema = new Schema<ProgressDocument>(
  {
    rev: { type: Number, required: true },
    version: { type: String, required: true },
    parentId: { type: ID, default: null },
  },
  { collection: "searchProgress" },
);

export interface Progress {
  rev: number;
  /** The parent of a thread; null: not a thread; undefined: unknown. */
  parentId: string | null | undefined;
}

/** The progress of a channel, before and after. */
interface Move {
  channelId: string;
  parentId: string | null;
  from: number;
  to: number;
}

const NOTHING: Progress = { rev: 0, parentId: undefined };

export type ProgressRepository = ReturnType<ReturnType<typeof createProgressRepository>>;

/** Queries of the indexing progress, for a version of the entries. */
export const createProgressRepository = defineRepository(
  { name: "SearchProgress", schema, durable: false },
  ({ model: progress, native, remove }) =>
    (version: string) => ({
      /** rev 0 when nothing is indexed, or with another version. */
      async find(channelIds: readonly string[]): Promise<Map<string, Progress>> {
        const byId = new Map<string, Progress>();
        // In parts, so that other commands run in between.
        for (const some of chunks(channelIds, CHANNELS_PER_LOOKUP)) {
          const found = await progress.find({ _id: { $in: some }, version }).lean();
          for (const { _id, rev, parentId } of found) byId.set(_id, { rev, parentId: parentId ?? null });
        }
        return new Map(channelIds.map((channelId) => [channelId, byId.get(channelId) ?? NOTHING]));
      },

      /**
       * Advances the progress of channels. If another process has advanced one in the meantime, that one doesn't change, and the
       * work is repeated.
       */
      async advance(moves: readonly Move[]): Promise<void> {
        const operations = moves.map(({ channelId, parentId, from, to }) => {
          const before = from === 0 ? { $or: [{ version: { $ne: version } }, { rev: 0 }] } : { rev: from };
          const parent = parentId === null ? null : new Types.ObjectId(parentId);
          return {
            updateOne: {
              filter: { _id: new Types.ObjectId(channelId), ...before },
              update: { $set: { rev: to, version, parentId: parent } },
              upsert: true,
            },
          };
        });
        try {
          await native.bulkWrite(operations, { ordered: false, maxTimeMS: LIMITS.writeTimeoutMs });
        } catch (error) {
          duplicateOperations(error);
        }
      },

      delete: (channelId: string) => remove({ _id: channelId }),
    }),
);

/** The indexing progress of a group's threads: all without later changes are indexed. */
interface GroupProgressDocument {
  /** The group id. */
  _id: string;
  /** A cursor of `message.listChangedThreads`: that of a thread, or of a time when there were no later ones. */
  upTo: string;
  /** The version of the entries. */
  version: string;
  movedAt: Date;
}

const groupSchema = new Schema<GroupProgressDocument>(
  {
    upTo: { type: String, required: true },
    version: { type: String, required: true },
    movedAt: { type: Date, required: true },
  },
  { collection: "searchGroupProgress" },
).index({ movedAt: 1 }, { expireAfterSeconds: GROUP_PROGRESS_LIFETIME_S });

export type GroupProgressRepository = ReturnType<ReturnType<typeof createGroupProgressRepository>>;

/** Queries of the indexing progress of groups, all by group id, for a version of the entries. */
export const createGroupProgressRepository = defineRepository(
  { name: "SearchGroupProgress", schema: groupSchema, durable: false },
  ({ model: progress }) =>
    (version: string) => ({
      /** Omits groups with no progress, or with another version. */
      async find(groupIds: readonly string[]): Promise<Map<string, string>> {
        const found = await progress.find({ _id: { $in: groupIds }, version }).lean();
        return new Map(found.map(({ _id, upTo }) => [_id, upTo]));
      },

      /** If another search stores progress at the same time, that one is equally valid. */
      async set(groupId: string, upTo: string): Promise<void> {
        const moved = { upTo, version, movedAt: new Date() };
        await progress.updateOne({ _id: groupId }, { $set: moved }, { upsert: true });
      },
    }),
);
