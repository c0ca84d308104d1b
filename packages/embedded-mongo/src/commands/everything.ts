import type { Collection } from "../storage/collection.ts";
import { encode, pack, type PackedDocument } from "../values/codec.ts";
import type { Handler } from "./context.ts";

/**
 * `{fanfareEverything: 1}`: a cursor over all documents of a database as they are at this one instant, in no order. Before
 * those of a collection comes `{collection, documents}`: its name, and how many follow. It takes a reference to each document,
 * not a copy, so writes go on meanwhile.
 */
const everything: Handler = (_command, { catalog, cursors, db }) => {
  const documents: PackedDocument[] = [];
  for (const collection of catalog.collections(db).toSorted(byName)) {
    documents.push(pack(encode({ collection: collection.name, documents: collection.count })));
    for (const { data } of collection.records()) documents.push(data);
  }
  return cursors.open(`${db}.$cmd.fanfareEverything`, documents, undefined);
};

const byName = (a: Collection, b: Collection): number => (a.name < b.name ? -1 : 1);

export const everythingCommands: Record<string, Handler> = { fanfareEverything: everything };
