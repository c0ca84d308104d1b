import { PAUSE } from "../command-scope.ts";
import { encode, pack, type PackedDocument } from "../values/codec.ts";
import type { CommandContext, Handler } from "./context.ts";

/**
 * `{fanfareEverything: 1}`: a cursor over a snapshot of all documents of a database, unordered. The documents of a collection are
 * preceded by `{collection, documents}` with its name and count. The cursor has its own read connection, so it doesn't block
 * writes, but the write-ahead log grows until it is exhausted or closed.
 */
const everything: Handler = (_command, { openSnapshot, cursors, db }) =>
  cursors.open(`${db}.$cmd.fanfareEverything`, allDocuments(openSnapshot, db), undefined);

function* allDocuments(
  openSnapshot: CommandContext["openSnapshot"],
  db: string,
): Generator<PackedDocument | typeof PAUSE> {
  const { catalog, close } = openSnapshot();
  try {
    for (const collection of catalog.collections(db).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      yield pack(encode({ collection: collection.name, documents: collection.count }));
      for (const record of collection.records()) yield record === PAUSE ? PAUSE : record.data;
    }
  } finally {
    close();
  }
}

export const everythingCommands: Record<string, Handler> = { fanfareEverything: everything };
