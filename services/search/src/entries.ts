import { type NodeContext, chunks, DURABLE } from "@fanfare/kernel";
import { type Connection, type mongo, Types } from "mongoose";
import { MongoEntries } from "./mongo-entries.ts";
import type { SearchWord } from "./tokenize.ts";
import { CHANNELS_PER_FIND, INDEX_VERSION, QUERY_TIMEOUT_MS } from "./constants.ts";

/** The search tokens of one message. Derived from the messages, so it can be deleted and rebuilt at any time. */
export interface Entry {
  messageId: string;
  /** For a message in a thread, the parent, because a thread is visible to everyone who can see its parent. */
  channelId: string;
  /** The rev of the message that this was derived from. */
  rev: number;
  tokens: readonly string[];
}

export interface EntryQuery {
  /** The channels to search. */
  channelIds: readonly string[];
  /** A message must match all of them. */
  words: readonly [SearchWord, ...SearchWord[]];
  /** Message ids from `from`, lower than `below`. */
  below: string;
  from: string;
  limit: number;
}

export interface FoundEntries {
  /** Newest first. */
  messageIds: string[];
  /** Where to continue; null: no further results. */
  nextBelow: string | null;
}

/** The search index. Both implementations return the same messages. */
export interface SearchEntries {
  /** Progress stored with another version or for another kind of database is ignored. */
  readonly version: string;
  /** Durable. Never replaces an entry with one of an older rev. */
  put(entries: readonly Entry[], deleted: readonly string[]): Promise<void>;
  find(query: EntryQuery): Promise<FoundEntries>;
  delete(messageIds: readonly string[]): Promise<void>;
  /**
   * @param token only entries with this token; null: all
   * @returns the number of deleted entries: fewer than `limit` when none are left
   */
  deleteSome(channelId: string, token: string | null, limit: number): Promise<number>;
}

export function createEntries({
  database,
  isDatabaseEmbedded,
}: Pick<NodeContext, "database" | "isDatabaseEmbedded">): SearchEntries {
  return isDatabaseEmbedded ? new EmbeddedEntries(database) : new MongoEntries(database);
}

const NAME = "searchEntries";

const idOf = (id: string) => new Types.ObjectId(id);

/** Entries in the full-text index of the embedded database, which has its own commands for it. */
class EmbeddedEntries implements SearchEntries {
  readonly version = `embedded-${INDEX_VERSION}`;
  readonly #db: mongo.Db;

  constructor(database: Connection) {
    this.#db = database.getClient().db(database.name);
  }

  async put(entries: readonly Entry[], deleted: readonly string[]): Promise<void> {
    await this.#db.command({
      fanfareSearchPut: NAME,
      entries: entries.map(({ messageId, channelId, rev, tokens }) => {
        return { _id: idOf(messageId), place: idOf(channelId), rev, tokens };
      }),
      deleted: deleted.map(idOf),
      writeConcern: DURABLE,
    });
  }

  async find({ channelIds, words, below, from, limit }: EntryQuery): Promise<FoundEntries> {
    let found: string[] = [];
    // In parts, so that other commands run in between.
    for (const places of chunks(channelIds, CHANNELS_PER_FIND)) {
      const { ids } = await this.#db.command({
        fanfareSearchFind: NAME,
        places: places.map(idOf),
        words,
        below: idOf(below),
        // Once a page is full, older results can't be on it.
        from: idOf(found[limit] ?? from),
        limit: limit + 1,
        maxTimeMS: QUERY_TIMEOUT_MS,
      });
      const more = (ids as Types.ObjectId[]).map((id) => id.toHexString());
      found = [...found, ...more]
        .toSorted()
        .toReversed()
        .slice(0, limit + 1);
    }
    const messageIds = found.slice(0, limit);
    return { messageIds, nextBelow: found.length > limit ? messageIds.at(-1)! : null };
  }

  async delete(messageIds: readonly string[]): Promise<void> {
    await this.put([], messageIds);
  }

  async deleteSome(channelId: string, token: string | null, limit: number): Promise<number> {
    const which = { place: idOf(channelId), ...(token !== null && { token }) };
    const { n } = await this.#db.command({ fanfareSearchDelete: NAME, ...which, limit });
    return Number(n);
  }
}
