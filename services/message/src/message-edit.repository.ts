import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { READ_TIMEOUT_MS } from "./bounds.ts";
import { LASTING, within } from "./database.ts";

/** A text that a message had before it was edited. */
interface MessageEditDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  messageId: Types.ObjectId;
  /** How often the message had been edited by then. */
  version: number;
  content: string;
  writtenAt: Date;
}

const schema = new Schema<MessageEditDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    messageId: { type: Schema.Types.ObjectId, required: true },
    version: { type: Number, required: true },
    content: { type: String, default: "" },
    writtenAt: { type: Date, required: true },
  },
  { collection: "messageEdits", versionKey: false },
)
  .index({ messageId: 1, version: 1 }, { unique: true, name: "message_version" })
  .index({ channelId: 1 }, { name: "channel" });

function messageEditModel(database: Connection): Model<MessageEditDocument> {
  return database.model<MessageEditDocument>("MessageEdit", schema);
}

/** Every query of the former texts of messages. */
export class MessageEditRepository {
  readonly #model: Model<MessageEditDocument>;

  constructor(database: Connection) {
    this.#model = messageEditModel(database);
  }

  /** Durable when it is answered; the same version again changes nothing. */
  async keep(edit: Omit<MessageEditDocument, "_id">): Promise<void> {
    const { messageId, version, ...rest } = edit;
    const kept = this.#model.updateOne(
      { messageId, version },
      { $setOnInsert: rest },
      { upsert: true, writeConcern: DURABLE },
    );
    await within(READ_TIMEOUT_MS, kept).catch((error: unknown) => {
      if (duplicateKeyIndex(error) === null) throw error;
    });
  }

  /** Versions below `before`, newest first. */
  async list(messageId: string, before: number, limit: number): Promise<MessageEditDocument[]> {
    const found = this.#model
      .find({ messageId, version: { $lt: before } })
      .sort({ version: -1 })
      .limit(limit)
      .readConcern(LASTING)
      .lean();
    return within(READ_TIMEOUT_MS, found);
  }

  /** @returns how many were deleted: fewer than `limit` when none is left */
  async deleteSome(channelId: string, limit: number): Promise<number> {
    const some = await this.#model.find({ channelId }).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }

  async deleteOfMany(messageIds: readonly string[]): Promise<void> {
    await this.#model.deleteMany({ messageId: { $in: messageIds } });
  }

  async deleteOf(messageId: string): Promise<void> {
    await this.#model.deleteMany({ messageId });
  }
}
