import type { mongo } from "mongoose";

const BATCH_DOCUMENTS = 1000;
const DURABLE = { w: "majority", j: true } as const;

/** Stores documents of several collections, many at a time. */
export class Batches {
  readonly #db: mongo.Db;
  readonly #waiting = new Map<string, mongo.Document[]>();

  constructor(db: mongo.Db) {
    this.#db = db;
  }

  async add(collection: string, document: mongo.Document): Promise<void> {
    const documents = this.#waiting.get(collection) ?? [];
    this.#waiting.set(collection, documents);
    documents.push(document);
    if (documents.length >= BATCH_DOCUMENTS) await this.#store(collection);
  }

  async flush(): Promise<void> {
    for (const collection of this.#waiting.keys()) await this.#store(collection);
  }

  async #store(collection: string): Promise<void> {
    const documents = this.#waiting.get(collection) ?? [];
    this.#waiting.delete(collection);
    if (documents.length > 0)
      await this.#db.collection(collection).insertMany(documents, { writeConcern: DURABLE });
  }
}
