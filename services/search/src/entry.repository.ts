import { duplicateKeyIndex } from "@fanfare/kernel";
import { mongo, Types, type Connection, type Model } from "mongoose";
import { QUERY_TIMEOUT_MS } from "./bounds.ts";
import { entryModel, type EntryDocument } from "./entry.model.ts";

export interface Entry {
  messageId: string;
  channelId: string;
  rev: number;
  tokens: string[];
}

const DURABLE = { w: "majority", j: true } as const;

/** Every query of the index. */
export class EntryRepository {
  readonly #model: Model<EntryDocument>;
  readonly #native: mongo.Collection<EntryDocument>;

  constructor(database: Connection) {
    this.#model = entryModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  async createIndexes(): Promise<void> {
    await this.#model.createIndexes();
  }

  /** Durable when it is answered; never replaces an entry by one of an older state of its message. */
  async put(entries: readonly Entry[], deleted: readonly string[]): Promise<void> {
    const operations: mongo.AnyBulkWriteOperation<EntryDocument>[] = [
      ...entries.map(({ messageId, channelId, rev, tokens }) => ({
        updateOne: {
          filter: { _id: new Types.ObjectId(messageId), rev: { $lte: rev } },
          update: { $set: { channelId: new Types.ObjectId(channelId), rev, tokens } },
          upsert: true,
        },
      })),
      ...deleted.map((id) => ({ deleteOne: { filter: { _id: new Types.ObjectId(id) } } })),
    ];
    if (operations.length === 0) return;
    try {
      await this.#native.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
    } catch (error) {
      // An entry of a later state is there already.
      if (!isOnlyDuplicates(error)) throw error;
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

  /** @returns how many were deleted: fewer than `limit` when none is left */
  async deleteSome(channelId: string, limit: number): Promise<number> {
    const some = await this.#model.find({ channelId }).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }
}

function isOnlyDuplicates(error: unknown): boolean {
  if (error instanceof mongo.MongoBulkWriteError) {
    const errors = error.result.getWriteErrors();
    return errors.length > 0 && errors.every(({ code }) => code === 11_000);
  }
  return duplicateKeyIndex(error) !== null;
}
