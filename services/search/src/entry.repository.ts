import { DURABLE, duplicateOperations } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types, type mongo } from "mongoose";
import { QUERY_TIMEOUT_MS } from "./bounds.ts";

/** What one message is found by. All of these can be made again from the messages. */
interface EntryDocument {
  /** The message's id: newer ones are higher. */
  _id: Types.ObjectId;
  /** For a message in a thread: the parent channel, whose visibility the thread shares. */
  channelId: Types.ObjectId;
  /** The change of the message that this was made from. */
  rev: number;
  tokens: string[];
}

const schema = new Schema<EntryDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    rev: { type: Number, required: true },
    tokens: { type: [String], required: true },
  },
  { collection: "searchEntries", versionKey: false },
).index({ channelId: 1, tokens: 1, _id: -1 }, { name: "channel_token" });

function entryModel(database: Connection): Model<EntryDocument> {
  return database.model<EntryDocument>("SearchEntry", schema);
}

export interface Entry {
  messageId: string;
  /** Of a message in a thread, the thread's parent. */
  channelId: string;
  rev: number;
  tokens: string[];
}

/** Every query of the index. */
export class EntryRepository {
  readonly #model: Model<EntryDocument>;
  readonly #native: mongo.Collection<EntryDocument>;

  constructor(database: Connection) {
    this.#model = entryModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  /** Durable when it is answered; never replaces an entry by one of an older state of its message. */
  async put(entries: readonly Entry[], deleted: readonly string[]): Promise<void> {
    const changed = entries.length === 0 ? [] : await this.#insert(entries);
    const operations: mongo.AnyBulkWriteOperation<EntryDocument>[] = [
      ...changed.map(({ messageId, channelId, rev, tokens }) => ({
        updateOne: {
          filter: { _id: new Types.ObjectId(messageId), rev: { $lte: rev } },
          update: { $set: { channelId: new Types.ObjectId(channelId), rev, tokens } },
        },
      })),
      ...deleted.map((id) => ({ deleteOne: { filter: { _id: new Types.ObjectId(id) } } })),
    ];
    if (operations.length === 0) return;
    await this.#native.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
  }

  /**
   * Nearly all messages are new, and an insert costs half of what an upsert does.
   * @returns those that there is an entry of already
   */
  async #insert(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const documents = entries.map(({ messageId, channelId, rev, tokens }): EntryDocument => {
      return { _id: new Types.ObjectId(messageId), channelId: new Types.ObjectId(channelId), rev, tokens };
    });
    try {
      await this.#native.insertMany(documents, { ordered: false, writeConcern: DURABLE });
      return [];
    } catch (error) {
      return duplicateOperations(error).map(({ index }) => entries[index]!);
    }
  }

  /** Entries of a channel that have a token, newest first. @param below only lower ids; @param from this one and higher */
  async find(
    channelId: string,
    token: string,
    { below, from, limit, withTokens }: { below: string; from: string; limit: number; withTokens: boolean },
  ): Promise<{ id: string; tokens: readonly string[] }[]> {
    const found = await this.#native
      .find(
        {
          channelId: new Types.ObjectId(channelId),
          tokens: token,
          _id: { $lt: new Types.ObjectId(below), $gte: new Types.ObjectId(from) },
        },
        { projection: withTokens ? { tokens: 1 } : { _id: 1 }, maxTimeMS: QUERY_TIMEOUT_MS },
      )
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id, tokens }) => ({ id: _id.toHexString(), tokens: withTokens ? tokens : [] }));
  }

  async delete(messageIds: readonly string[]): Promise<void> {
    await this.#model.deleteMany({ _id: { $in: messageIds } });
  }

  /** @param token only those that have it @returns how many were deleted: fewer than `limit` when none is left */
  async deleteSome(channelId: string, token: string | null, limit: number): Promise<number> {
    const which = { channelId, ...(token !== null && { tokens: token }) };
    const some = await this.#model.find(which).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }
}
