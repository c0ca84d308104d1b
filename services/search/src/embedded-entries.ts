import { DURABLE } from "@fanfare/kernel";
import { type Connection, type mongo, Types } from "mongoose";
import { CHANNELS_PER_FIND, INDEX_VERSION, QUERY_TIMEOUT_MS } from "./bounds.ts";
import type { Entry, EntryQuery, FoundEntries, SearchEntries } from "./entries.ts";

const NAME = "searchEntries";

const idOf = (id: string) => new Types.ObjectId(id);

/** Entries in the full-text index of the embedded database, whose own commands these are. */
export class EmbeddedEntries implements SearchEntries {
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
    const found: string[] = [];
    // One part after the other, so that other commands come between them.
    for (let i = 0; i < channelIds.length; i += CHANNELS_PER_FIND) {
      const { ids } = await this.#db.command({
        fanfareSearchFind: NAME,
        places: channelIds.slice(i, i + CHANNELS_PER_FIND).map(idOf),
        words,
        below: idOf(below),
        from: idOf(from),
        limit: limit + 1,
        maxTimeMS: QUERY_TIMEOUT_MS,
      });
      found.push(...(ids as Types.ObjectId[]).map((id) => id.toHexString()));
    }
    const all = found.toSorted().toReversed();
    const messageIds = all.slice(0, limit);
    return { messageIds, nextBelow: all.length > limit ? messageIds.at(-1)! : null };
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
