import { duplicateKeyIndex } from "@fanfare/kernel";
import type { Connection, Model } from "mongoose";
import { INDEX_VERSION } from "./bounds.ts";
import { progressModel, type ProgressDocument } from "./progress.model.ts";

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

  /** Moves on from where it was read. Nothing happens if another process has moved it meanwhile: what it did is done twice then. */
  async advance(channelId: string, from: number, to: number): Promise<void> {
    const before = from === 0 ? { $or: [{ version: { $ne: INDEX_VERSION } }, { rev: 0 }] } : { rev: from };
    await this.#model
      .updateOne(
        { _id: channelId, ...before },
        { $set: { rev: to, version: INDEX_VERSION } },
        { upsert: true },
      )
      .catch((error: unknown) => {
        if (duplicateKeyIndex(error) === null) throw error;
      });
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId });
  }
}
