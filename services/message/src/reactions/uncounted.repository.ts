import { Types, type Connection, type Model } from "mongoose";
import { DURABLE } from "../durability.ts";
import { READ_TIMEOUT_MS } from "../limits.ts";
import { within } from "../within.ts";
import { uncountedModel, type UncountedDocument } from "./uncounted.model.ts";

/** Every query of the notes about messages whose reactions are to be counted. */
export class UncountedRepository {
  readonly #model: Model<UncountedDocument>;

  constructor(database: Connection) {
    this.#model = uncountedModel(database);
  }

  /** Durable when it is answered. @param token a new one, so that a count that had begun before does not remove the note */
  async note(channelId: string, messageId: string, token: string): Promise<void> {
    const noted = this.#model.updateOne(
      { _id: messageId },
      { $set: { token, since: new Date() }, $setOnInsert: { channelId: new Types.ObjectId(channelId) } },
      { upsert: true, writeConcern: DURABLE },
    );
    await within(READ_TIMEOUT_MS, noted);
  }

  async find(messageId: string): Promise<UncountedDocument | null> {
    return within(READ_TIMEOUT_MS, this.#model.findById(messageId).lean());
  }

  async delete(messageId: string, token: string): Promise<void> {
    await this.#model.deleteOne({ _id: messageId, token });
  }

  /** The longest waiting first. */
  async findBefore(before: Date, limit: number): Promise<UncountedDocument[]> {
    return this.#model
      .find({ since: { $lt: before } })
      .sort({ since: 1 })
      .limit(limit)
      .lean();
  }
}
