import type { NodeContext } from "@fanfare/kernel";
import { EmbeddedEntries } from "./embedded-entries.ts";
import { MongoEntries } from "./mongo-entries.ts";
import type { SearchWord } from "./tokenize.ts";

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
