import fs from "node:fs";
import type { ResolvedOptions } from "../options.ts";
import { Catalog } from "./catalog.ts";
import type { CatalogChange, ChangeLog } from "./change-log.ts";
import { claimEngine } from "./engine-file.ts";
import { Journal } from "./journal.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { encodeCatalog, encodePut, encodeRemove } from "./operations.ts";
import { recover, removeLeftovers } from "./recovery.ts";
import { viewOf, writeSnapshot } from "./snapshot.ts";

/** A journal longer than this at a clean stop is replaced by a snapshot, so that the next start is quick. */
const SNAPSHOT_ON_CLOSE_BYTES = 8 * 1024 * 1024;

/** The catalog on disk: a lock, a journal, snapshots. */
export class Store implements ChangeLog {
  readonly catalog: Catalog;
  readonly #options: ResolvedOptions;
  readonly #lock: FolderLock;
  readonly #syncTimer: NodeJS.Timeout;
  #journal!: Journal;
  #snapshot: Promise<void> | undefined;
  /** Bytes of journals that the newest snapshot does not cover, the present one not counted. */
  #olderJournalBytes = 0;
  /** Bytes of an unfinished write that the last crash left and that were cut off. */
  droppedBytes = 0;

  private constructor(options: ResolvedOptions, lock: FolderLock) {
    this.#options = options;
    this.#lock = lock;
    this.catalog = new Catalog(this, new MemoryBudget(options.maxDataBytes));
    this.#syncTimer = setInterval(() => this.sync().catch(() => {}), options.syncIntervalMs);
    this.#syncTimer.unref();
  }

  /** @throws DataFolderInUseError, DataFolderMismatchError, DataFolderCorruptError or what the file system says */
  static async open(options: ResolvedOptions): Promise<Store> {
    fs.mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(options.dir);
    try {
      claimEngine(options.dir);
      return Store.#recovered(options, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  static #recovered(options: ResolvedOptions, lock: FolderLock): Store {
    const store = new Store(options, lock);
    try {
      const { journal, droppedBytes, journalBytes } = recover(options.dir, store.catalog);
      store.droppedBytes = droppedBytes;
      store.#journal = journal
        ? Journal.resume(options.dir, journal.sequence, journal.bytes, options.onFatal)
        : Journal.create(options.dir, 1, options.onFatal);
      store.#olderJournalBytes = journalBytes - (journal?.bytes ?? 0);
      return store;
    } catch (error) {
      clearInterval(store.#syncTimer);
      throw error;
    }
  }

  put(collection: number, data: string): void {
    this.#journal.append(encodePut(collection, data));
  }

  remove(collection: number, id: string): void {
    this.#journal.append(encodeRemove(collection, id));
  }

  catalogChange(change: CatalogChange): void {
    this.#journal.append(encodeCatalog(change));
  }

  /** Changes that are in the memory of this process only. */
  get pendingOperations(): number {
    return this.#journal.pendingOperations;
  }

  /** Makes all changes so far survive the end of this process. @throws JournalFailedError */
  flush(): void {
    this.#journal.flush();
    this.#snapshotIfWorthwhile();
  }

  /** Makes all changes so far survive the end of the machine. */
  async sync(): Promise<void> {
    await this.#journal.sync();
  }

  /** Length of the journals a restart would replay, in bytes. */
  get journalBytes(): number {
    return this.#olderJournalBytes + this.#journal.length;
  }

  /** Writes a snapshot beside running commands, then deletes the journals it replaces. */
  snapshot(): Promise<void> {
    this.#snapshot ??= this.#takeSnapshot().finally(() => (this.#snapshot = undefined));
    return this.#snapshot;
  }

  async close(): Promise<void> {
    clearInterval(this.#syncTimer);
    await this.#snapshot?.catch(() => {});
    try {
      if (this.journalBytes > SNAPSHOT_ON_CLOSE_BYTES) await this.snapshot();
      await this.#journal.close();
    } finally {
      await this.#lock.release();
    }
  }

  #snapshotIfWorthwhile(): void {
    if (this.#snapshot || this.journalBytes < this.#options.snapshotJournalBytes) return;
    const documents = this.catalog.collections().reduce((sum, { documentBytes }) => sum + documentBytes, 0);
    if (this.journalBytes < documents) return;
    this.snapshot().catch((error: unknown) => this.#options.onFatal(error as Error));
  }

  async #takeSnapshot(): Promise<void> {
    this.#olderJournalBytes += this.#journal.length;
    this.#journal.rotate();
    const { sequence } = this.#journal;
    await writeSnapshot(this.#options.dir, sequence, viewOf(this.catalog));
    removeLeftovers(this.#options.dir, sequence);
    this.#olderJournalBytes = 0;
  }
}
