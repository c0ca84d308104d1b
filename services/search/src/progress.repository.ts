import { type Connection, type Model, Schema, Types } from "mongoose";
import { chunks, duplicateKeyIndex, duplicateOperations } from "@fanfare/kernel";
import { CHANNELS_PER_LOOK_UP, GROUP_PROGRESS_LIFETIME_S } from "./bounds.ts";

/** How far a channel is indexed: all its changes up to `rev` are. */
interface ProgressDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  rev: number;
  /** Of the entries that were made. */
  version: string;
  /** Of a thread: among whose entries its own are. null: it is no thread. */
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
  /** Of a thread; null: it is none; undefined: not known yet. */
  parentId: string | null | undefined;
}

/** A channel that was indexed up to one of its changes, and is up to another now. */
interface Move {
  channelId: string;
  parentId: string | null;
  from: number;
  to: number;
}

const NOTHING: Progress = { rev: 0, parentId: undefined };

/** Every query of how far channels are indexed. */
export class ProgressRepository {
  readonly #model: Model<ProgressDocument>;
  readonly #version: string;

  /** @param version of the entries */
  constructor(database: Connection, version: string) {
    this.#model = progressModel(database);
    this.#version = version;
  }

  /** rev 0 where nothing is indexed, or in an older way. */
  async find(channelIds: readonly string[]): Promise<Map<string, Progress>> {
    const byId = new Map<string, Progress>();
    // One part after the other, so that other commands come between them.
    for (const some of chunks(channelIds, CHANNELS_PER_LOOK_UP)) {
      const found = await this.#model.find({ _id: { $in: some }, version: this.#version }).lean();
      for (const { _id, rev, parentId } of found)
        byId.set(_id.toHexString(), { rev, parentId: parentId?.toHexString() ?? null });
    }
    return new Map(channelIds.map((channelId) => [channelId, byId.get(channelId) ?? NOTHING]));
  }

  /**
   * Moves channels on from where they were read. Nothing happens to one that another process has moved meanwhile: what it did is
   * done twice then.
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

/** How far the threads of a group are indexed: all in which nothing was written since. */
interface GroupProgressDocument {
  /** The group's id. */
  _id: Types.ObjectId;
  /** The cursor of a thread, or of the time at which none was behind it (`channel.listActiveThreads`). */
  upTo: string;
  /** Of the entries that were made. */
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

/** Every query of how far the threads of groups are indexed: all are by `_id`, the group's. */
export function createGroupProgressRepository(database: Connection, version: string) {
  const progress = groupProgressModel(database);
  return {
    /** Without those of which nothing is indexed, or in an older way. */
    async find(groupIds: readonly string[]): Promise<Map<string, string>> {
      const found = await progress.find({ _id: { $in: groupIds }, version }).lean();
      return new Map(found.map(({ _id, upTo }) => [_id.toHexString(), upTo]));
    },

    async set(groupId: string, upTo: string): Promise<void> {
      const moved = { upTo, version, movedAt: new Date() };
      await progress
        .updateOne({ _id: groupId }, { $set: moved }, { upsert: true })
        // Another search has just made it: what it says holds as well.
        .catch((error: unknown) => {
          if (duplicateKeyIndex(error) === null) throw error;
        });
    },
  };
}
