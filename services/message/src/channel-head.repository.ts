import type { Head } from "@fanfare/contract";
import { DURABLE, upsert } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types, type mongo } from "mongoose";
import { READ_TIMEOUT_MS, WRITE_TIMEOUT_MS } from "./constants.ts";
import { oneBatch, within } from "./database.ts";

/**
 * The head of a channel, for lists of many channels: never below what was acknowledged. It can be ahead of the messages until the
 * next one is stored, so it must not be used to assign numbers.
 */
interface HeadDocument {
  /** The channel id. */
  _id: Types.ObjectId;
  seq: number;
  rev: number;
  /** Older messages have been or are being removed by retention. Absent: none were. */
  retainedFrom?: number;
}

const schema = new Schema<HeadDocument>(
  { seq: { type: Number, required: true }, rev: { type: Number, required: true }, retainedFrom: Number },
  { collection: "channelHeads", versionKey: false },
);

function channelHeadModel(database: Connection): Model<HeadDocument> {
  return database.model<HeadDocument>("ChannelHead", schema);
}

/** Queries of the collection channelHeads. */
export class ChannelHeadRepository {
  readonly #model: Model<HeadDocument>;
  readonly #native: mongo.Collection<HeadDocument>;

  constructor(database: Connection) {
    this.#model = channelHeadModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  /** Omits channels without a head. */
  async findMany(channelIds: readonly string[]): Promise<HeadDocument[]> {
    const _id = { $in: channelIds.map((id) => new Types.ObjectId(id)) };
    return within(READ_TIMEOUT_MS, this.#native.find({ _id }, { batchSize: oneBatch(channelIds) }).toArray());
  }

  async find(channelId: string): Promise<HeadDocument | null> {
    return within(READ_TIMEOUT_MS, this.#model.findById(channelId).lean());
  }

  /** Durably raises the heads of channels to at least these values. */
  async raise(heads: ReadonlyMap<string, Head>, timeoutMs: number): Promise<void> {
    const operations = [...heads].map(([channelId, { seq, rev }]) => ({
      updateOne: {
        filter: { _id: new Types.ObjectId(channelId) },
        update: { $max: { seq, rev } },
        upsert: true,
      },
    }));
    const options = { ordered: false, writeConcern: DURABLE, maxTimeMS: timeoutMs };
    await upsert(() => this.#native.bulkWrite(operations, options));
  }

  /** Durable. Messages with a lower seq count as read and can be removed. */
  async retainFrom(channelId: string, seq: number): Promise<void> {
    const _id = new Types.ObjectId(channelId);
    const options = { writeConcern: DURABLE, maxTimeMS: WRITE_TIMEOUT_MS };
    await this.#native.updateOne({ _id }, { $max: { retainedFrom: seq } }, options);
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId }).maxTimeMS(WRITE_TIMEOUT_MS);
  }
}
