import { DatabaseSync, type StatementSync } from "node:sqlite";
import { LRUCache } from "lru-cache";
import type { Checkpoint } from "./checkpoints.ts";
import type { PackedDocument } from "../values/codec.ts";

/** One stored document. */
export interface StoredRecord {
  /** Position in natural order; grows with every insert into the collection. */
  readonly order: number;
  data: PackedDocument;
}

/** An entry of the cache and a record, besides the document. */
const CACHED_RECORD_BYTES = 200;

/** Orders of one collection stay below: 68 billion documents. */
const ORDERS_PER_COLLECTION = 2 ** 36;

export interface DatabaseOptions {
  /** For pages and documents together. */
  readonly cacheBytes: number;
  /** Bound on the length of the file. */
  readonly maxDataBytes?: number | undefined;
}

/** Another connection, of a checkpoint or a backup, holds its locks for moments. */
const BUSY_TIMEOUT_MS = 1000;

const LAST_COMMIT = `
  BEGIN; CREATE TABLE lastCommit (number INTEGER NOT NULL); INSERT INTO lastCommit VALUES (0); COMMIT
`;

/** What has changed since its numbers were last written. */
export interface Counted {
  saveCounts(): void;
}

export type Value = number | string | Uint8Array | null;

/** The SQLite file of one data folder, the transaction of the present turn, and the documents that were read lately. */
export class Database {
  readonly #sql: DatabaseSync;
  readonly pageBytes: number;
  readonly #checkpoints: Record<"NOOP" | "PASSIVE", StatementSync>;
  readonly #records: LRUCache<number, StoredRecord>;
  /** The orders of documents by collection and encoded `_id`. */
  readonly #orders: LRUCache<string, number>;
  readonly #counted = new Set<Counted>();
  #changes = 0;
  #lastCommit: number;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #setLastCommit: StatementSync;
  #isOpen = false;
  #failure: unknown;

  /**
   * @param isSnapshot only reads, what was committed before
   * @throws what SQLite says
   */
  constructor(file: string, { cacheBytes, maxDataBytes }: DatabaseOptions, isSnapshot = false) {
    this.#sql = new DatabaseSync(file, { readOnly: isSnapshot, timeout: BUSY_TIMEOUT_MS });
    this.#sql.exec("PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON");
    if (isSnapshot) this.#sql.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    // NORMAL: SQLite itself syncs only around checkpoints. Wal.sync does it for commits, off the event loop.
    else
      this.#sql.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
    this.pageBytes = this.number("PRAGMA page_size");
    const recordBytes = isSnapshot ? 1 : cacheBytes / 2;
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
    if (!this.hasTable("lastCommit")) this.#sql.exec(LAST_COMMIT);
    this.#lastCommit = this.number("SELECT number FROM lastCommit");
    this.#begin = this.prepare("BEGIN IMMEDIATE");
    this.#commit = this.prepare("COMMIT");
    this.#setLastCommit = this.prepare("UPDATE lastCommit SET number = ?");
    this.#checkpoints = {
      NOOP: this.prepare("PRAGMA wal_checkpoint(NOOP)"),
      PASSIVE: this.prepare("PRAGMA wal_checkpoint(PASSIVE)"),
    };
  }

  /** Grows with every change of a document or of the catalog. */
  get changes(): number {
    return this.#changes;
  }

  /** The number of the last commit: they are counted as long as the file is there. */
  get lastCommit(): number {
    return this.#lastCommit;
  }

  /** Whether something was changed in this turn, and is not committed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A statement whose rows are arrays. */
  prepare(sql: string): StatementSync {
    const statement = this.#sql.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  hasTable(name: string): boolean {
    return this.#sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
  }

  /** The one number that a query gives. */
  number(sql: string): number {
    const [value] = this.prepare(sql).get() as unknown as [number];
    return value;
  }

  /** Changes the schema. */
  define(sql: string): void {
    this.#change(() => this.#sql.exec(sql));
  }

  /** @returns how many rows were changed */
  run(statement: StatementSync, ...values: Value[]): number {
    return this.#change(() => Number(statement.run(...values).changes));
  }

  /** Its counts are written with the transaction of this turn. */
  count(counted: Counted): void {
    this.#counted.add(counted);
  }

  /**
   * Makes all changes of this turn survive the end of this process, or takes all of them back.
   * @throws what a change or the commit has failed with: everything is as it was before the turn, `Catalog.load` is needed
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
    // SQLite itself has taken the transaction back when the disk was full.
    if (this.#sql.isTransaction) this.#sql.exec("ROLLBACK");
    throw failure;
  }

  cached(collection: number, order: number): StoredRecord | undefined {
    return this.#records.get(collection * ORDERS_PER_COLLECTION + order);
  }

  cache(collection: number, record: StoredRecord): void {
    this.#records.set(collection * ORDERS_PER_COLLECTION + record.order, record);
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

  /** Writes the log into the file as far as nobody reads what was before, or with `NOOP` only says how much there is to do. */
  checkpoint(mode: "NOOP" | "PASSIVE"): Checkpoint {
    const [, log, done] = this.#checkpoints[mode].get() as unknown as [number, number, number];
    return { log, done };
  }

  /** Reads the whole file. @throws Error saying what is broken */
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
