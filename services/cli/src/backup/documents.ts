import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";

/** Reads values with their exact BSON types, so that writing them again produces the same bytes. */
const AS_STORED = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Data that the search derives from the messages. It isn't backed up: part of it is not in a collection, and a restored instance
 * rebuilds it.
 */
export const SEARCH_COLLECTIONS: readonly string[] = [
  "searchEntries",
  "searchProgress",
  "searchGroupProgress",
];

/** Sorted by name. */
export async function listCollections(db: mongo.Db): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("system."))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** A document as BSON with the name of its collection. Documents are grouped by collection. */
export interface StoredDocument {
  collection: string;
  bytes: Uint8Array;
}

/** All documents, sorted by collection and id. */
export async function* readInOrder(db: mongo.Db): AsyncGenerator<StoredDocument> {
  for (const collection of await listCollections(db)) {
    const cursor = db.collection(collection).find({}, AS_STORED).sort({ _id: 1 });
    for await (const document of cursor) yield { collection, bytes: mongo.BSON.serialize(document) };
  }
}

/**
 * Opens a snapshot of all acknowledged documents of an embedded database, as of the moment this resolves. Read it without delay:
 * a cursor that isn't read is closed after ten minutes.
 */
export async function openEverything(db: mongo.Db): Promise<AsyncGenerator<StoredDocument>> {
  const command = { fanfareEverything: 1, readConcern: { level: "majority" } };
  // Building a response blocks all other clients.
  const cursor = db.runCursorCommand(command, AS_STORED).setBatchSize(BATCH_DOCUMENTS);
  // This sends the command.
  await cursor.hasNext();
  return readEverything(cursor);
}

async function* readEverything(cursor: mongo.RunCommandCursor): AsyncGenerator<StoredDocument> {
  let collection = "";
  let left = 0;
  for await (const document of cursor) {
    if (left === 0) {
      // Values that aren't promoted are BSON types.
      collection = String(document["collection"]);
      left = Number(document["documents"]);
      continue;
    }
    left -= 1;
    yield { collection, bytes: mongo.BSON.serialize(document) };
  }
}

/** Collects documents and stores them in batches. */
export class DocumentWriter {
  readonly #db: mongo.Db;
  #collection: mongo.Collection | null = null;
  #batch: mongo.Document[] = [];
  #bytes = 0;

  constructor(db: mongo.Db) {
    this.#db = db;
  }

  /** Further documents belong to this collection. */
  async begin(name: string): Promise<void> {
    await this.flush();
    this.#collection = this.#db.collection(name);
  }

  async add(bytes: Uint8Array): Promise<void> {
    this.#batch.push(mongo.BSON.deserialize(bytes, AS_STORED));
    this.#bytes += bytes.length;
    if (this.#batch.length >= BATCH_DOCUMENTS || this.#bytes >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    await this.#collection!.insertMany(this.#batch, { writeConcern: DURABLE, forceServerObjectId: true });
    this.#batch = [];
    this.#bytes = 0;
  }
}
