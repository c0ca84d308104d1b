import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";
import { READ_TIMEOUT_MS } from "../bounds.ts";
import { within } from "../database.ts";

/** A message whose reactions have to be counted again. Kept until that is done, even if a process dies. */
interface UncountedDocument {
  /** The message's id. */
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  /** New with every change. */
  token: string;
  since: Date;
}

const schema = new Schema<UncountedDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    token: { type: String, required: true },
    since: { type: Date, required: true },
  },
  { collection: "uncountedReactions", versionKey: false },
).index({ since: 1 });

function uncountedModel(database: Connection): Model<UncountedDocument> {
  return database.model<UncountedDocument>("UncountedReactions", schema);
}

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
