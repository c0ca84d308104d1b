import { mongo, type Connection } from "mongoose";

/** Every value with its own type of BSON, so that what is read and written again has the same bytes. */
const AS_STORED = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;
const DURABLE = { w: "majority", j: true } as const;

export const databaseOf = (connection: Connection): mongo.Db => connection.getClient().db(connection.name);

/** In the order of their names. */
export async function listCollections(db: mongo.Db): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("system."))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** The documents of a collection as BSON, in the order of their ids. */
export async function* readDocuments(db: mongo.Db, name: string): AsyncGenerator<Uint8Array> {
  const cursor = db.collection(name).find({}, AS_STORED).sort({ _id: 1 });
  for await (const document of cursor) yield mongo.BSON.serialize(document);
}

/** Gathers documents and stores them in batches. */
export class DocumentWriter {
  readonly #db: mongo.Db;
  #collection: mongo.Collection | null = null;
  #batch: mongo.Document[] = [];
  #bytes = 0;

  constructor(db: mongo.Db) {
    this.#db = db;
  }

  /** Those that follow belong to this collection. */
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
