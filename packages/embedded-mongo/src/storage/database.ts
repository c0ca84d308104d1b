import { DatabaseSync, type StatementSync } from "node:sqlite";
import { LRUCache } from "lru-cache";
import type { Checkpoint } from "./checkpoints.ts";
import { CommandError } from "../errors.ts";
import { CachedRanges } from "../index/range-cache.ts";
import type { PackedDocument } from "../values/codec.ts";
import type { Transactions } from "./transactions.ts";

/** One stored document. */
export interface StoredRecord {
  /** Position in natural order; increases with every insert into the collection. */
  readonly order: number;
  data: PackedDocument;
}

/** Memory of a cache entry in addition to the document. */
const CACHED_RECORD_BYTES = 200;

/** Upper limit of a collection's orders: 68 billion inserts. */
const ORDERS_PER_COLLECTION = 2 ** 36;

/** Shared by pages and documents. */
const CACHE_BYTES = 128 * 1024 * 1024;

export interface DatabaseOptions {
  /** Limit of the file's size. */
  readonly maxDataBytes?: number | undefined;
}

/** Other connections (checkpoints, backups) hold locks only briefly. */
const BUSY_TIMEOUT_MS = 1000;

const LAST_COMMIT = `
  BEGIN; CREATE TABLE lastCommit (number INTEGER NOT NULL); INSERT INTO lastCommit VALUES (0); COMMIT
`;

/** A collection whose counts must be saved with the next commit. */
export interface Counted {
  saveCounts(): void;
  /** @returns a function that restores the current counts */
  keepCounts(): () => void;
}

export type Value = number | string | Uint8Array | null;

/** The SQLite file of a data folder, with the transaction of the current turn and a cache of documents. */
export class Database {
  readonly #sql: DatabaseSync;
  readonly pageBytes: number;
  readonly #checkpoints: Record<"NOOP" | "PASSIVE", StatementSync>;
  readonly #records: LRUCache<number, StoredRecord>;
  /** Orders by collection and encoded `_id`. */
  readonly #orders: LRUCache<string, number>;
  /** Recently read ranges of all indexes. */
  readonly ranges: CachedRanges;
  readonly #counted = new Set<Counted>();
  #changes = 0;
  #lastCommit: number;
  readonly #begin: StatementSync;
  readonly #beginRead: StatementSync;
  readonly #commit: StatementSync;
  readonly #setLastCommit: StatementSync;
  #isOpen = false;
  #failure: unknown;
  /** Functions that restore counts; undefined if changes are not rolled back. */
  #undo: Map<Counted, () => void> | undefined;
  /** Called for all changes; undefined if no transaction is open. */
  watcher: Transactions | undefined;

  /**
   * @param isSnapshot opens a read-only view of the last commit
   * @throws SQLite's error
   */
  constructor(file: string, { maxDataBytes }: DatabaseOptions, isSnapshot = false) {
    this.#sql = new DatabaseSync(file, { readOnly: isSnapshot, timeout: BUSY_TIMEOUT_MS });
    this.#sql.exec("PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON");
    if (isSnapshot) this.#sql.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    // NORMAL: SQLite syncs only for checkpoints. Wal.sync syncs commits, off the event loop.
    else
      this.#sql.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
    this.pageBytes = this.number("PRAGMA page_size");
    const recordBytes = isSnapshot ? 1 : CACHE_BYTES / 2;
    this.#sql.exec(`PRAGMA cache_size = ${Math.ceil(recordBytes / this.pageBytes)}`);
    if (maxDataBytes !== undefined && !isSnapshot)
      this.#sql.exec(`PRAGMA max_page_count = ${Math.ceil(maxDataBytes / this.pageBytes)}`);
    this.#records = new LRUCache({
      maxSize: Math.ceil(recordBytes),
      sizeCalculation: ({ data }) => data.length + CACHED_RECORD_BYTES,
    });
    this.#orders = new LRUCache({
      maxSize: Math.ceil(recordBytes / 4),
      sizeCalculation: (_, key) => key.length + CACHED_RECORD_BYTES,
    });
    this.ranges = new CachedRanges(Math.ceil(recordBytes / 8));
    if (!this.hasTable("lastCommit")) this.#sql.exec(LAST_COMMIT);
    this.#lastCommit = this.number("SELECT number FROM lastCommit");
    this.#begin = this.prepare("BEGIN IMMEDIATE");
    this.#beginRead = this.prepare("BEGIN");
    this.#commit = this.prepare("COMMIT");
    this.#setLastCommit = this.prepare("UPDATE lastCommit SET number = ?");
    this.#checkpoints = {
      NOOP: this.prepare("PRAGMA wal_checkpoint(NOOP)"),
      PASSIVE: this.prepare("PRAGMA wal_checkpoint(PASSIVE)"),
    };
  }

  /** Incremented by every change. */
  get changes(): number {
    return this.#changes;
  }

  /** Number of the last commit over the lifetime of the file. */
  get lastCommit(): number {
    return this.#lastCommit;
  }

  /** Whether this turn has uncommitted changes. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Prepares a statement that returns rows as arrays. */
  prepare(sql: string): StatementSync {
    const statement = this.#sql.prepare(sql);
    statement.setReturnArrays(true);
    // `run` also returns the last inserted row id, which exceeds 2^53 in FTS5's tables.
    if (statement.columns().length === 0) statement.setReadBigInts(true);
    return statement;
  }

  hasTable(name: string): boolean {
    return this.#sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
  }

  /** Runs a query that returns one number. */
  number(sql: string): number {
    const [value] = this.prepare(sql).get() as unknown as [number];
    return value;
  }

  /** Changes the schema. */
  define(sql: string): void {
    if (this.isUndone)
      throw new CommandError(
        "OperationNotSupportedInTransaction",
        "Collections and indexes cannot be created in a transaction",
      );
    this.#change(() => this.#sql.exec(sql));
  }

  /** Runs several reads in one transaction, because SQLite locks the log for each transaction. */
  read<T>(run: () => T): T {
    if (this.#sql.isTransaction) return run();
    this.#beginRead.run();
    try {
      return run();
    } finally {
      this.#commit.run();
    }
  }

  /** @returns the number of changed rows */
  run(statement: StatementSync, ...values: Value[]): number {
    return this.#change(() => Number(statement.run(...values).changes));
  }

  /** Saves the counts of a collection with the transaction of this turn. Call it before they change. */
  count(counted: Counted): void {
    if (!this.#undo) this.#counted.add(counted);
    else if (!this.#undo.has(counted)) this.#undo.set(counted, counted.keepCounts());
  }

  /** Whether changes are rolled back before other commands run. */
  get isUndone(): boolean {
    return this.#undo !== undefined;
  }

  /** Makes `commit` roll back. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#isOpen = true;
  }

  /**
   * Runs `run` and rolls back all its changes, except in the cache, which the caller must handle. There must be no uncommitted changes.
   * @throws the error of `run`
   */
  undone<T>(run: () => T): T {
    if (this.#isOpen) throw new Error("uncommitted changes would be lost");
    const undo = (this.#undo = new Map<Counted, () => void>());
    try {
      return run();
    } finally {
      this.#undo = undefined;
      for (const setBack of undo.values()) setBack();
      this.#changes++;
      this.#isOpen = false;
      this.#failure = undefined;
      if (this.#sql.isTransaction) this.#sql.exec("ROLLBACK");
    }
  }

  /**
   * Commits all changes of this turn, or rolls all of them back.
   * @throws the error of the first failed change or of the commit. The caller must then reload the catalog.
   */
  commit(): void {
    if (!this.#isOpen) return;
    try {
      for (const counted of this.#counted) counted.saveCounts();
      this.run(this.#setLastCommit, this.#lastCommit + 1);
      this.#commit.run();
      this.#lastCommit++;
    } catch (error) {
      this.#failure ??= error;
    }
    this.#counted.clear();
    this.#isOpen = false;
    const failure = this.#failure;
    if (failure === undefined) return;
    this.#failure = undefined;
    this.#records.clear();
    this.#orders.clear();
    this.ranges.byPrefix.clear();
    // If the disk was full, SQLite has already rolled back.
    if (this.#sql.isTransaction) this.#sql.exec("ROLLBACK");
    throw failure;
  }

  cached(collection: number, order: number): StoredRecord | undefined {
    return this.#records.get(collection * ORDERS_PER_COLLECTION + order);
  }

  cache(collection: number, record: StoredRecord): void {
    this.#records.set(collection * ORDERS_PER_COLLECTION + record.order, record);
  }

  /** Updates a cached document. */
  recache(collection: number, record: StoredRecord): void {
    if (this.#records.has(collection * ORDERS_PER_COLLECTION + record.order)) this.cache(collection, record);
  }

  uncache(collection: number, order: number): void {
    this.#records.delete(collection * ORDERS_PER_COLLECTION + order);
  }

  cachedOrder(collection: number, id: string): number | undefined {
    return this.#orders.get(`${collection} ${id}`);
  }

  cacheOrder(collection: number, id: string, order: number): void {
    this.#orders.set(`${collection} ${id}`, order);
  }

  uncacheOrder(collection: number, id: string): void {
    this.#orders.delete(`${collection} ${id}`);
  }

  /** PASSIVE checkpoints up to the first page that a reader still needs; NOOP only returns the state of the log. */
  checkpoint(mode: "NOOP" | "PASSIVE"): Checkpoint {
    const [, log, done] = this.#checkpoints[mode].get() as unknown as [number, number, number];
    return { log, done };
  }

  /** Verifies the whole file. @throws Error describing the damage */
  check(): void {
    const [found] = this.prepare("PRAGMA quick_check(1)").get() as unknown as [string];
    if (found !== "ok") throw new Error(found);
  }

  close(): void {
    this.#sql.close();
  }

  #change<T>(change: () => T): T {
    if (this.#failure !== undefined) throw this.#failure;
    this.#changes++;
    try {
      if (!this.#isOpen) {
        this.#begin.run();
        this.#isOpen = true;
      }
      return change();
    } catch (error) {
      this.#isOpen = true;
      this.#failure = error;
      throw error;
    }
  }
}
