import fs from "node:fs";
import path from "node:path";
import { DataFolderCorruptError } from "../errors.ts";
import type { ResolvedOptions } from "../options.ts";
import { Catalog } from "./catalog.ts";
import { Checkpoints } from "./checkpoints.ts";
import { Database } from "./database.ts";
import { readEngine, writeEngine, syncFile, syncFolder } from "./files.ts";
import { checkFiles, Wal } from "./wal.ts";
import { convertOldFiles, oldFiles, removeOldFiles } from "./old-format.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { Transactions } from "./transactions.ts";

const DATA_FILE = "data.sqlite";

/** Disk usage. */
export interface StorageStatus {
  /** Bytes of used pages in the data file. */
  readonly dataBytes: number;
  /** Limit of `dataBytes`: the configured one, or the free space of the disk if that is less. */
  readonly maxDataBytes: number;
  readonly walBytes: number;
}

/** The data folder: a lock, a SQLite file and its write-ahead log. */
export class Store {
  readonly catalog: Catalog;
  readonly transactions: Transactions;
  readonly #dir: string;
  readonly #options: ResolvedOptions;
  readonly #lock: FolderLock;
  readonly #database: Database;
  readonly #wal: Wal;
  readonly #checkpoints: Checkpoints;
  /** Set while there may be something to sync or to checkpoint. */
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: ResolvedOptions, lock: FolderLock) {
    this.#options = options;
    this.#dir = options.dir;
    this.#lock = lock;
    const file = path.join(options.dir, DATA_FILE);
    // SQLite copies the file mode to the log.
    fs.closeSync(fs.openSync(file, "a", 0o600));
    this.#database = new Database(file, options);
    Catalog.prepare(this.#database);
    this.#wal = new Wal(file, options.onFatal);
    syncFolder(options.dir);
    this.catalog = new Catalog(this.#database);
    this.catalog.repair();
    this.commit();
    this.transactions = new Transactions(this.#database, this.catalog, () => this.commit());
    this.#checkpoints = new Checkpoints(file, this.#database, this.#wal);
    this.#tickSoon();
  }

  /** @throws DataFolderInUseError, DataFolderMismatchError, DataFolderCorruptError or an error of the file system */
  static async open(options: ResolvedOptions): Promise<Store> {
    fs.mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(options.dir);
    try {
      prepareFolder(options);
      const store = new Store(options, lock);
      writeEngine(options.dir);
      return store;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Whether this turn has uncommitted changes. */
  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /**
   * Commits all changes of this turn, or rolls all of them back. Commits survive a crash of the process.
   * @throws the error of the first failed change, for example if the disk is full
   */
  commit(): void {
    if (!this.#database.isOpen) return;
    try {
      this.#database.commit();
    } catch (error) {
      this.catalog.load();
      throw error;
    }
    this.#wal.committed(this.#database.lastCommit);
    this.#tickSoon();
  }

  /** Resolves when all commits so far are on disk. @throws SyncFailedError */
  sync(): Promise<void> {
    return this.#wal.sync();
  }

  /** Resolves when the running syncs have ended; undefined if there are none. */
  get syncing(): Promise<void> | undefined {
    return this.#wal.syncing;
  }

  /** Backpressure: resolves when writes can be acknowledged; undefined if immediately. */
  get room(): Promise<void> | undefined {
    return this.#checkpoints.room;
  }

  /** Resolves when long commands that write can continue; undefined if immediately. */
  get restart(): Promise<void> | undefined {
    return this.#checkpoints.restart;
  }

  /** All collections as of the last commit. */
  openSnapshot(): { catalog: Catalog; close: () => void } {
    const snapshot = new Database(path.join(this.#dir, DATA_FILE), this.#options, true);
    return { catalog: new Catalog(snapshot), close: () => snapshot.close() };
  }

  status(): StorageStatus {
    const { pageBytes } = this.#database;
    const pages = this.#database.number("PRAGMA page_count");
    const free = this.#database.number("PRAGMA freelist_count");
    const { bavail, bsize } = fs.statfsSync(this.#dir);
    const dataBytes = (pages - free) * pageBytes;
    const onDisk = pages * pageBytes + bavail * bsize;
    return {
      dataBytes,
      maxDataBytes: Math.min(this.#options.maxDataBytes ?? Number.POSITIVE_INFINITY, onDisk),
      walBytes: this.#checkpoints.walBytes,
    };
  }

  async close(): Promise<void> {
    try {
      this.commit();
      await this.#wal.sync();
      await this.#checkpoints.stop();
    } finally {
      clearTimeout(this.#timer);
      await this.#wal.close();
      // Checkpoints and removes the log.
      this.#database.close();
      this.#checkpoints.close();
      await this.#lock.release();
    }
  }

  #tickSoon(): void {
    this.#timer ??= setTimeout(() => this.#tick(), this.#options.syncIntervalMs).unref();
  }

  #tick(): void {
    this.#timer = undefined;
    this.sync().catch(() => {});
    if (this.#database.isOpen || this.#checkpoints.check()) this.#tickSoon();
  }
}

/** Checks the folder, and converts it if it has the old format. */
function prepareFolder(options: ResolvedOptions): void {
  const { dir } = options;
  const file = path.join(dir, DATA_FILE);
  const format = readEngine(dir);
  if (format === 1 && !fs.existsSync(file)) {
    if (oldFiles(dir).length === 0)
      throw new DataFolderCorruptError(path.join(dir, "journal-1.log"), "the file is missing");
    const converted = `${file}.new`;
    convertOldFiles(dir, converted, options, options.onProgress);
    syncFile(converted);
    fs.renameSync(converted, file);
    syncFolder(dir);
  }
  if (format !== undefined) checkFiles(file);
  if (oldFiles(dir).length > 0) {
    writeEngine(dir);
    removeOldFiles(dir);
  }
}
