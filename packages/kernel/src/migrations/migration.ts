import type { mongo } from "mongoose";
import { DURABLE } from "../repository.ts";

/** Documents per batch: a few milliseconds of work, so that little is repeated after a crash. */
const BATCH_DOCUMENTS = 1000;

/** A migration of stored data; docs/internals/migrations.md explains how to write one. */
export interface Migration {
  /** Four digits and a description, such as `0001-message-revs`. Migrations run in this order, each once. */
  name: string;
  /**
   * The oldest version that works with the database afterwards. Absent: older versions keep working, as they do during a rolling
   * upgrade.
   */
  oldestProgram?: string;
  /**
   * Must be idempotent: it can be interrupted anywhere, and another process then continues. So each write must have the expected
   * state in its filter.
   */
  run(job: Job): Promise<void>;
}

/** Context of a migration. */
export interface Job {
  db: mongo.Db;
  /** The last cursor passed to `reached` before an interruption; undefined in the first run. */
  resumeFrom: unknown;
  /**
   * Stores the progress. Call it after each batch of writes, at least every few seconds.
   * @param cursor where to resume, as a BSON value
   * @param documents number of documents processed since the last call
   * @throws {LeaseLostError} if another process has taken over and continues from the last cursor
   */
  reached(cursor: unknown, documents: number): Promise<void>;
  /** The expected number of documents, for the log. */
  expect(documents: number): Promise<void>;
}

/**
 * Processes the documents that match a filter in batches, ordered by id. `change` returns the writes for a batch, which are stored
 * before the next batch is read.
 */
export async function inBatches(
  job: Job,
  name: string,
  filter: mongo.Filter<mongo.Document>,
  projection: Record<string, 1>,
  change: (documents: mongo.Document[]) => Promise<mongo.AnyBulkWriteOperation[]>,
): Promise<void> {
  const collection = job.db.collection(name);
  let after = job.resumeFrom as mongo.ObjectId | undefined;
  await job.expect(
    await collection.countDocuments({ ...filter, ...(after !== undefined && { _id: { $gt: after } }) }),
  );
  for (;;) {
    const documents = await collection
      .find({ ...filter, ...(after !== undefined && { _id: { $gt: after } }) }, { projection })
      .sort({ _id: 1 })
      .limit(BATCH_DOCUMENTS)
      .toArray();
    const last = documents.at(-1);
    if (last === undefined) return;
    const operations = await change(documents);
    if (operations.length > 0)
      await collection.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
    after = last._id;
    await job.reached(after, documents.length);
  }
}

/** Receives progress reports. */
export interface Report {
  log(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  /** The current step, for /readyz. */
  state(doing: string): void;
}

/** Another process took the lease because this one did not renew it in time. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}
