import type { NodeContext } from "@fanfare/kernel";
import { EmbeddedEntries } from "./embedded-entries.ts";
import { MongoEntries } from "./mongo-entries.ts";
import type { SearchWord } from "./tokenize.ts";

/** What one message can be found by. Made from the messages, so it can be deleted and made again at any time. */
export interface Entry {
  messageId: string;
  /** Of a message in a thread, the thread's parent, because threads are as visible as their parent. */
  channelId: string;
  /** The change of the message that this was made from. */
  rev: number;
  tokens: readonly string[];
}

export interface EntryQuery {
  /** Nothing else is searched. */
  channelIds: readonly string[];
  /** A message must match all of them. */
  words: readonly [SearchWord, ...SearchWord[]];
  /** Message ids: lower than `below`, and `from` or higher. */
  below: string;
  from: string;
  limit: number;
}

export interface FoundEntries {
  /** Newest first. */
  messageIds: string[];
  /** Where to go on; null: there is nothing further. */
  nextBelow: string | null;
}

/** The search index. Both implementations find the same messages. */
export interface SearchEntries {
  /** Progress that was made with another version, or in another kind of database, doesn't count. */
  readonly version: string;
  /** Durable when it resolves; never replaces an entry by one of an older state of its message. */
  put(entries: readonly Entry[], deleted: readonly string[]): Promise<void>;
  find(query: EntryQuery): Promise<FoundEntries>;
  delete(messageIds: readonly string[]): Promise<void>;
  /**
   * @param token only entries that have it
   * @returns how many were deleted: fewer than `limit` if none are left
   */
  deleteSome(channelId: string, token: string | null, limit: number): Promise<number>;
}

export function createEntries({
  database,
  isDatabaseEmbedded,
}: Pick<NodeContext, "database" | "isDatabaseEmbedded">): SearchEntries {
  return isDatabaseEmbedded ? new EmbeddedEntries(database) : new MongoEntries(database);
}
