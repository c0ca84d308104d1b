import { type Connection, type Model, Schema, Types } from "mongoose";
import { chunks, duplicateKeyIndex, duplicateOperations } from "@fanfare/kernel";
import { CHANNELS_PER_LOOKUP, GROUP_PROGRESS_LIFETIME_S } from "./constants.ts";

/** The indexing progress of a channel: all changes up to `rev` are indexed. */
interface ProgressDocument {
  /** The channel id. */
  _id: Types.ObjectId;
  rev: number;
  /** The version of the entries. */
  version: string;
  /** For a thread, the channel that its entries are stored under. null: not a thread. */
  parentId: Types.ObjectId | null;
}

const schema = new Schema<ProgressDocument>(
  {
    rev: { type: Number, required: true },
    version: { type: String, required: true },
    parentId: { type: Schema.Types.ObjectId, default: null },
  },
  { collection: "searchProgress", versionKey: false },
);

function progressModel(database: Connection): Model<ProgressDocument> {
  return database.model<ProgressDocument>("SearchProgress", schema);
}

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

/** Queries of the indexing progress. */
export class ProgressRepository {
  readonly #model: Model<ProgressDocument>;
  readonly #version: string;

  /** @param version of the entries */
  constructor(database: Connection, version: string) {
    this.#model = progressModel(database);
    this.#version = version;
  }

  /** rev 0 when nothing is indexed, or with another version. */
  async find(channelIds: readonly string[]): Promise<Map<string, Progress>> {
    const byId = new Map<string, Progress>();
    // In parts, so that other commands run in between.
    for (const some of chunks(channelIds, CHANNELS_PER_LOOKUP)) {
      const found = await this.#model.find({ _id: { $in: some }, version: this.#version }).lean();
      for (const { _id, rev, parentId } of found)
        byId.set(_id.toHexString(), { rev, parentId: parentId?.toHexString() ?? null });
    }
    return new Map(channelIds.map((channelId) => [channelId, byId.get(channelId) ?? NOTHING]));
  }

  /**
   * Advances the progress of channels. If another process has advanced one in the meantime, that one doesn't change, and the work
   * is repeated.
   */
  async advance(moves: readonly Move[]): Promise<void> {
    const operations = moves.map(({ channelId, parentId, from, to }) => {
      const before = from === 0 ? { $or: [{ version: { $ne: this.#version } }, { rev: 0 }] } : { rev: from };
      const parent = parentId === null ? null : new Types.ObjectId(parentId);
      return {
        updateOne: {
          filter: { _id: new Types.ObjectId(channelId), ...before },
          update: { $set: { rev: to, version: this.#version, parentId: parent } },
          upsert: true,
        },
      };
    });
    try {
      await this.#model.collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      duplicateOperations(error);
    }
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId });
  }
}

/** The indexing progress of a group's threads: all without later activity are indexed. */
interface GroupProgressDocument {
  /** The group id. */
  _id: Types.ObjectId;
  /** A cursor of `channel.listActiveThreads`: that of a thread, or of a time when there were no later ones. */
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
  { collection: "searchGroupProgress", versionKey: false },
).index({ movedAt: 1 }, { expireAfterSeconds: GROUP_PROGRESS_LIFETIME_S });

function groupProgressModel(database: Connection): Model<GroupProgressDocument> {
  return database.model<GroupProgressDocument>("SearchGroupProgress", groupSchema);
}

export type GroupProgressRepository = ReturnType<typeof createGroupProgressRepository>;

/** Queries of the indexing progress of groups, all by group id. */
export function createGroupProgressRepository(database: Connection, version: string) {
  const progress = groupProgressModel(database);
  return {
    /** Omits groups with no progress, or with another version. */
    async find(groupIds: readonly string[]): Promise<Map<string, string>> {
      const found = await progress.find({ _id: { $in: groupIds }, version }).lean();
      return new Map(found.map(({ _id, upTo }) => [_id.toHexString(), upTo]));
    },

    async set(groupId: string, upTo: string): Promise<void> {
      const moved = { upTo, version, movedAt: new Date() };
      await progress
        .updateOne({ _id: groupId }, { $set: moved }, { upsert: true })
        // Another search has just stored progress, which is equally valid.
        .catch((error: unknown) => {
          if (duplicateKeyIndex(error) === null) throw error;
        });
    },
  };
}
