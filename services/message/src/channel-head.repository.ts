import type { Head } from "@fanfare/contract";
import { duplicateKeyIndex } from "@fanfare/kernel";
import { Types, type Connection, type Model, type mongo } from "mongoose";
import { channelHeadModel, type HeadDocument } from "./channel-head.model.ts";
import { DURABLE } from "./durability.ts";
import { READ_TIMEOUT_MS } from "./limits.ts";
import { oneBatch } from "./one-batch.ts";
import { within } from "./within.ts";

/** Every query of the channels' heads. */
export class ChannelHeadRepository {
  readonly #model: Model<HeadDocument>;
  readonly #native: mongo.Collection<HeadDocument>;

  constructor(database: Connection) {
    this.#model = channelHeadModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  /** Channels without a head are left out. */
  async findMany(channelIds: readonly string[]): Promise<HeadDocument[]> {
    const _id = { $in: channelIds.map((id) => new Types.ObjectId(id)) };
    return within(READ_TIMEOUT_MS, this.#native.find({ _id }, { batchSize: oneBatch(channelIds) }).toArray());
  }

  async find(channelId: string): Promise<HeadDocument | null> {
    return within(READ_TIMEOUT_MS, this.#model.findById(channelId).lean());
  }

  /** Durably raises heads to at least these numbers, by channel. */
  async raise(heads: ReadonlyMap<string, Head>, timeoutMs: number): Promise<void> {
    const operations = [...heads].map(([channelId, { seq, rev }]) => ({
      updateOne: {
        filter: { _id: new Types.ObjectId(channelId) },
        update: { $max: { seq, rev } },
        upsert: true,
      },
    }));
    const write = () =>
      this.#native.bulkWrite(operations, {
        ordered: false,
        writeConcern: DURABLE,
        maxTimeMS: timeoutMs,
      });
    await write().catch((error: unknown) => {
      // Two upserts at once: the second finds what the first has made.
      if (duplicateKeyIndex(error) === null) throw error;
      return write();
    });
  }

  /** Durable: messages with a lower seq count as read, and may be removed. */
  async retainFrom(channelId: string, seq: number): Promise<void> {
    const _id = new Types.ObjectId(channelId);
    await this.#native.updateOne({ _id }, { $max: { retainedFrom: seq } }, { writeConcern: DURABLE });
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId });
  }
}
