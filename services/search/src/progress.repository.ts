import { Schema, type Connection, type Model, Types, mongo } from "mongoose";
import { INDEX_VERSION } from "./bounds.ts";

/** How far a channel is indexed: all its changes up to `rev` are. */
interface ProgressDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  rev: number;
  version: number;
  /** Of a thread: among whose entries its own are. null: it is no thread. */
  parentId: Types.ObjectId | null;
}

const schema = new Schema<ProgressDocument>(
  {
    rev: { type: Number, required: true },
    version: { type: Number, required: true },
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

const DUPLICATE_KEY = 11_000;
const NOTHING: Progress = { rev: 0, parentId: undefined };

/** Every query of how far channels are indexed. */
export class ProgressRepository {
  readonly #model: Model<ProgressDocument>;

  constructor(database: Connection) {
    this.#model = progressModel(database);
  }

  /** rev 0 where nothing is indexed, or in an older way. */
  async find(channelIds: readonly string[]): Promise<Map<string, Progress>> {
    const found = await this.#model.find({ _id: { $in: channelIds } }).lean();
    const current = found.filter(({ version }) => version === INDEX_VERSION);
    const byId = new Map(
      current.map(({ _id, rev, parentId }): [string, Progress] => [
        _id.toHexString(),
        { rev, parentId: parentId?.toHexString() ?? null },
      ]),
    );
    return new Map(channelIds.map((channelId) => [channelId, byId.get(channelId) ?? NOTHING]));
  }

  /** Moves channels on from where they were read. Nothing happens to one that another process has moved meanwhile: what it did is done twice then. */
  async advance(moves: readonly Move[]): Promise<void> {
    const operations = moves.map(({ channelId, parentId, from, to }) => {
      const before = from === 0 ? { $or: [{ version: { $ne: INDEX_VERSION } }, { rev: 0 }] } : { rev: from };
      const parent = parentId === null ? null : new Types.ObjectId(parentId);
      return {
        updateOne: {
          filter: { _id: new Types.ObjectId(channelId), ...before },
          update: { $set: { rev: to, version: INDEX_VERSION, parentId: parent } },
          upsert: true,
        },
      };
    });
    try {
      await this.#model.collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      if (error.result.getWriteErrors().some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    }
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId });
  }
}
