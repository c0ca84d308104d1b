import type { mongo } from "mongoose";

/** A change of what is stored. docs/migrations.md says how one is written. */
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

/** What a migration works with. */
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
  /** How many there are to be looked at, for the log. */
  expect(documents: number): Promise<void>;
}
