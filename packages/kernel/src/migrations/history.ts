import type { mongo } from "mongoose";
import { DURABLE } from "../repository.ts";
import { LeaseLostError, type Migration } from "./migration.ts";

const COLLECTION = "migrations";

/** The state of one migration of this database. */
export interface MigrationRecord {
  /** The name of the migration. */
  _id: string;
  state: "running" | "done";
  /** The version of the program that ran or is running it. */
  version: string;
  /** Fence of the last lease under which it ran. */
  fence: number;
  startedAt: Date;
  finishedAt?: Date;
  /** From the first start to the end, including interruptions. */
  durationMs?: number;
  documents: number;
  /** Expected number of documents, if known. */
  expected?: number;
  cursor?: unknown;
  oldestProgram?: string;
}

/** The migration history of a database. Every write checks the fence, so a process that lost the lease can't change it. */
export class History {
  readonly #records: mongo.Collection<MigrationRecord>;

  constructor(db: mongo.Db) {
    this.#records = db.collection<MigrationRecord>(COLLECTION, { writeConcern: DURABLE });
  }

  /** Ordered by name. */
  list(): Promise<MigrationRecord[]> {
    return this.#records.find().sort({ _id: 1 }).toArray();
  }

  /**
   * @returns its record, with a `cursor` if it was interrupted
   * @throws {LeaseLostError}
   */
  async begin({ name, oldestProgram }: Migration, version: string, fence: number): Promise<MigrationRecord> {
    try {
      const record = await this.#records.findOneAndUpdate(
        { _id: name, state: "running", fence: { $lt: fence } },
        {
          $set: { version, fence, ...(oldestProgram !== undefined && { oldestProgram }) },
          $setOnInsert: { startedAt: new Date(), documents: 0 },
        },
        { upsert: true, returnDocument: "after" },
      );
      return record!;
    } catch (error) {
      // It is done, or a later holder of the lease is running it.
      if ((error as mongo.MongoServerError).code === 11_000) throw new LeaseLostError();
      throw error;
    }
  }

  /** @throws {LeaseLostError} */
  async progress(name: string, fence: number, cursor: unknown, documents: number): Promise<void> {
    await this.#update(name, fence, { $set: { cursor }, $inc: { documents } });
  }

  async expect(name: string, fence: number, expected: number): Promise<void> {
    await this.#update(name, fence, { $set: { expected } });
  }

  /** @throws {LeaseLostError} */
  async finish({ _id, startedAt }: MigrationRecord, fence: number): Promise<void> {
    const finishedAt = new Date();
    await this.#update(_id, fence, {
      $set: { state: "done", finishedAt, durationMs: finishedAt.getTime() - startedAt.getTime() },
      $unset: { cursor: "", expected: "" },
    });
  }

  async #update(name: string, fence: number, change: mongo.UpdateFilter<MigrationRecord>): Promise<void> {
    const { matchedCount } = await this.#records.updateOne({ _id: name, state: "running", fence }, change);
    if (matchedCount === 0) throw new LeaseLostError();
  }
}
