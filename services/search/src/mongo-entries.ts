import { boundedMap, chunks, DURABLE, duplicateOperations } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types, type mongo } from "mongoose";
import {
  ENTRIES_PER_READ,
  ENTRIES_PER_SEARCH,
  ENTRIES_PER_SORTED_READ,
  INDEX_VERSION,
  QUERY_TIMEOUT_MS,
  RANGES_PER_QUERY,
  SEARCH_CONCURRENCY,
} from "./constants.ts";
import type { Entry, EntryQuery, FoundEntries, SearchEntries } from "./entries.ts";
import { matches, type SearchWord } from "./tokenize.ts";

/** An entry as stored. All of these can be rebuilt from the messages. */
interface EntryDocument {
  /** The message id; newer ones are higher. */
  _id: Types.ObjectId;
  /** For a message in a thread, the parent channel. */
  channelId: Types.ObjectId;
  /** The rev of the message that this was derived from. */
  rev: number;
  tokens: readonly string[];
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

/** Entries as documents with a single index. The first word of a search uses the index, the others are compared. */
export class MongoEntries implements SearchEntries {
  readonly version = `mongodb-${INDEX_VERSION}`;
  readonly #model: Model<EntryDocument>;
  readonly #native: mongo.Collection<EntryDocument>;

  constructor(database: Connection) {
    this.#model = entryModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

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
   * Inserts first, because nearly all messages are new, and an insert costs half as much as an upsert.
   * @returns the entries that already exist
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

  find(query: EntryQuery): Promise<FoundEntries> {
    return scanChannels(this, query);
  }

  /** Entries of channels that match a word, newest first. @param below only lower ids @param from this id and higher */
  async findInChannels(
    channelIds: readonly string[],
    { tokens, prefix }: SearchWord,
    { below, from, limit, withTokens }: { below: string; from: string; limit: number; withTokens: boolean },
  ): Promise<{ id: string; tokens: readonly string[] }[]> {
    const found = await this.#native
      .find(
        {
          channelId: { $in: channelIds.map((id) => new Types.ObjectId(id)) },
          // A word only contains letters, digits and marks, so it needs no escaping.
          tokens:
            prefix === undefined && tokens.length === 1
              ? tokens[0]
              : { $in: [...tokens, ...(prefix === undefined ? [] : [new RegExp(`^${prefix}`)])] },
          _id: { $lt: new Types.ObjectId(below), $gte: new Types.ObjectId(from) },
        },
        { projection: withTokens ? { tokens: 1 } : { _id: 1 }, maxTimeMS: QUERY_TIMEOUT_MS },
      )
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
    return found.map((entry) => ({ id: entry._id.toHexString(), tokens: withTokens ? entry.tokens : [] }));
  }

  async delete(messageIds: readonly string[]): Promise<void> {
    await this.#model.deleteMany({ _id: { $in: messageIds } });
  }

  async deleteSome(channelId: string, token: string | null, limit: number): Promise<number> {
    const which = { channelId, ...(token !== null && { tokens: token }) };
    const some = await this.#model.find(which).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }
}

/** Channels that are read together. */
interface Scan {
  channelIds: readonly string[];
  /** All entries above this id were read; null: all of them. */
  readTo: string | null;
}

/**
 * Finds the newest entries of several channels that match all words. Channels are read from their newest entries, always
 * continuing with the one that is least far, until no unread entry can be newer than the results, or enough entries were read.
 */
export async function scanChannels(
  entries: Pick<MongoEntries, "findInChannels">,
  { channelIds, words: [first, ...rest], below, from, limit }: EntryQuery,
): Promise<FoundEntries> {
  const withTokens = rest.length > 0;
  const perScan = Math.max(1, Math.floor(RANGES_PER_QUERY / Math.max(1, first.tokens.length)));
  const scans = chunks(channelIds, perScan).map((some): Scan => ({ channelIds: some, readTo: below }));
  let found: string[] = [];
  let left = ENTRIES_PER_SEARCH;
  const read = async (scan: Scan, count: number): Promise<void> => {
    const some = await entries.findInChannels(scan.channelIds, first, {
      below: scan.readTo!,
      // Once a page is full, older results can't be on it.
      from: found[limit] ?? from,
      limit: count,
      withTokens,
    });
    left -= some.length;
    scan.readTo = some.length < count ? null : some.at(-1)!.id;
    const matching = some.filter(({ tokens }) => rest.every((word) => matches(word, tokens)));
    found = [...found, ...matching.map(({ id }) => id)]
      .toSorted()
      .toReversed()
      .slice(0, limit + 1);
  };
  const share = Math.max(1, Math.floor(ENTRIES_PER_SEARCH / 2 / Math.max(1, scans.length)));
  const perRead = first.prefix === undefined ? ENTRIES_PER_READ : ENTRIES_PER_SORTED_READ;
  const atOnce = withTokens ? Math.min(perRead, share) : limit + 1;
  await boundedMap(scans, SEARCH_CONCURRENCY, (scan) => read(scan, atOnce));
  for (;;) {
    const behind = leastRead(scans);
    const sure = found.filter((id) => behind === null || id >= behind.readTo!);
    if (behind === null || sure.length > limit || left <= 0) {
      const messageIds = sure.slice(0, limit);
      const isCut = sure.length > limit;
      return { messageIds, nextBelow: isCut ? messageIds.at(-1)! : (behind?.readTo ?? null) };
    }
    await read(behind, withTokens ? perRead : atOnce);
  }
}

/** The scan whose unread entries can be the newest. */
function leastRead(scans: readonly Scan[]): Scan | null {
  let least: Scan | null = null;
  for (const scan of scans) {
    if (scan.readTo !== null && (least === null || scan.readTo > least.readTo!)) least = scan;
  }
  return least;
}
