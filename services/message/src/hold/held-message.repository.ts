import type { PlaceLine } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, Types, type Connection, type mongo } from "mongoose";
import { WRITE_TIMEOUT_MS } from "../constants.ts";
import { DURABLE_WRITE, inTime } from "../database.ts";
import type { MessageDocument } from "../message.model.ts";

/** A message as it was before its deletion; `deletedAt` is when it was deleted. */
export type HeldMessage = MessageDocument & {
  deletedAt: Date;
  /** Where it was sent, if the channel has been deleted too. */
  place?: PlaceLine;
};

// Only for its indexes: the driver writes and reads the documents as they are.
const schema = new Schema<HeldMessage>(
  { authorId: Schema.Types.ObjectId, channelId: Schema.Types.ObjectId },
  { collection: "heldMessages", versionKey: false },
)
  .index({ authorId: 1, _id: 1 }, { name: "author" })
  .index({ channelId: 1 }, { name: "channel" });

/** Queries of the deleted messages that legal holds keep. No action that users can call reads them. */
export class HeldMessageRepository {
  readonly #native: mongo.Collection<HeldMessage>;

  constructor(database: Connection) {
    const { collection } = database.model<HeldMessage>("HeldMessage", schema);
    this.#native = database.getClient().db(database.name).collection(collection.name);
  }

  /** Durable. Keeping a message again replaces it. */
  async keep(messages: readonly HeldMessage[]): Promise<void> {
    const operations = messages.map(({ _id, ...rest }) => ({
      replaceOne: { filter: { _id }, replacement: rest, upsert: true },
    }));
    await this.#native.bulkWrite(operations, {
      ordered: false,
      writeConcern: DURABLE,
      maxTimeMS: WRITE_TIMEOUT_MS,
      ignoreUndefined: true,
    });
  }

  /** Stores where the messages of a deleted channel were sent. */
  async setPlace(place: PlaceLine): Promise<void> {
    await this.#native.updateMany(
      { channelId: new Types.ObjectId(place.id) },
      { $set: { place } },
      { writeConcern: DURABLE, maxTimeMS: WRITE_TIMEOUT_MS },
    );
  }

  /** Sorted by id. */
  list(authorId: string, afterId: string | null, limit: number): Promise<HeldMessage[]> {
    const filter = {
      authorId: new Types.ObjectId(authorId),
      ...(afterId !== null && { _id: { $gt: new Types.ObjectId(afterId) } }),
    };
    const found = this.#native.find(filter, { sort: { _id: 1 }, limit, readConcern: DURABLE_WRITE });
    return inTime(found.toArray());
  }

  async find(messageId: string): Promise<HeldMessage | null> {
    return inTime(this.#native.findOne({ _id: new Types.ObjectId(messageId) }));
  }

  /** Returns which of the messages are kept. */
  async findIds(messageIds: readonly string[]): Promise<Set<string>> {
    if (messageIds.length === 0) return new Set();
    const _id = { $in: messageIds.map((id) => new Types.ObjectId(id)) };
    const found = this.#native.find({ _id }, { projection: { _id: 1 } }).toArray();
    return new Set((await inTime(found)).map((message) => message._id.toHexString()));
  }

  async delete(messageIds: readonly string[]): Promise<void> {
    const _id = { $in: messageIds.map((id) => new Types.ObjectId(id)) };
    await this.#native.deleteMany({ _id }, { writeConcern: DURABLE, maxTimeMS: WRITE_TIMEOUT_MS });
  }
}
