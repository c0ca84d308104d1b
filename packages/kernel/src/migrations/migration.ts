import type { mongo } from "mongoose";
import { DURABLE } from "../repository.ts";

/** Documents that are read and written at a time: some milliseconds of work, so that little is repeated after a crash. */
const BATCH_DOCUMENTS = 1000;

/** A change of stored data. See docs/internals/migrations.md for how to write one. */
export interface Migration {
  /** A number of four digits and what it does, such as `0001-message-revs`: they run in this order, each once. */
  name: string;
  /**
   * The oldest version of the program that may work on the database afterwards. Absent: those that do not know of this
   * migration may go on with it, as they do while a cluster is upgraded.
   */
  oldestProgram?: string;
  /**
   * Has to be repeatable: it may be broken off anywhere, and what another process has begun it goes on with. So each write
   * says in its filter what it expects to find.
   */
  run(job: Job): Promise<void>;
}

/** Context of a migration. */
export interface Job {
  db: mongo.Db;
  /** What was last given to `reached` when this was begun and broken off before; undefined: it begins. */
  resumeFrom: unknown;
  /**
   * To be called after each batch of writes, every few seconds at least.
   * @param cursor where to go on after what is done, as BSON can hold it
   * @param documents how many were looked at since the last call
   * @throws {LeaseLostError} when another process has taken over: it goes on from the last cursor
   */
  reached(cursor: unknown, documents: number): Promise<void>;
  /** The expected number of documents, for the log. */
  expect(documents: number): Promise<void>;
}

/**
 * Goes through the documents of a collection that a filter finds, in the order of their ids, and stores what `change` makes of each
 * batch before it looks at the next.
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

/** A newer version has changed the database so that this one would damage it. */
export class DatabaseTooNewError extends Error {
  override readonly name = "DatabaseTooNewError";
}

/** Migrations are pending, and this process is configured not to run them. */
export class DatabaseNotMigratedError extends Error {
  override readonly name = "DatabaseNotMigratedError";
}

/** A unique index cannot be made; the message names the documents. */
export class DatabaseDuplicatesError extends Error {
  override readonly name = "DatabaseDuplicatesError";
}
