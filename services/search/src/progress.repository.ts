import { mongo, Types, type Connection, type Model } from "mongoose";
import { INDEX_VERSION } from "./bounds.ts";
import { progressModel, type ProgressDocument } from "./progress.model.ts";

/** A channel that was indexed up to one of its changes, and is up to another now. */
interface Move {
  channelId: string;
  from: number;
  to: number;
}

const DUPLICATE_KEY = 11_000;

/** Every query of how far channels are indexed. */
export class ProgressRepository {
  readonly #model: Model<ProgressDocument>;

  constructor(database: Connection) {
    this.#model = progressModel(database);
  }

  /** 0 where nothing is indexed, or in an older way. */
  async find(channelIds: readonly string[]): Promise<Map<string, number>> {
    const found = await this.#model.find({ _id: { $in: channelIds } }).lean();
    const current = found.filter(({ version }) => version === INDEX_VERSION);
    const revs = new Map(current.map(({ _id, rev }) => [_id.toHexString(), rev]));
    return new Map(channelIds.map((channelId) => [channelId, revs.get(channelId) ?? 0]));
  }

  /** Moves channels on from where they were read. Nothing happens to one that another process has moved meanwhile: what it did is done twice then. */
  async advance(moves: readonly Move[]): Promise<void> {
    const operations = moves.map(({ channelId, from, to }) => {
      const before = from === 0 ? { $or: [{ version: { $ne: INDEX_VERSION } }, { rev: 0 }] } : { rev: from };
      return {
        updateOne: {
          filter: { _id: new Types.ObjectId(channelId), ...before },
          update: { $set: { rev: to, version: INDEX_VERSION } },
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
