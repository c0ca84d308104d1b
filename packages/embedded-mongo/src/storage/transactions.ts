import { PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { Catalog } from "./catalog.ts";
import type { Collection } from "./collection.ts";
import type { Database } from "./database.ts";

/** MongoDB's transactionLifetimeLimitSeconds. */
const LIFETIME_MS = 60_000;
const MAX_OPEN = 100;
/** Maximum number of changes. Each statement repeats the earlier changes of its transaction, which blocks other commands for about 15 µs per change. */
const MAX_CHANGES = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Limit for all open transactions together. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Maximum number of tracked documents for conflict detection. */
const MAX_NOTED = 100_000;

/** Above the orders of all stored documents, so that a transaction's inserts are last until it ends. */
const FIRST_ORDER = 2 ** 35;

/** An uncommitted change of a transaction. */
export interface Change {
  readonly collection: number;
  readonly db: string;
  readonly name: string;
  /** Encoded `_id`. */
  readonly id: string;
  readonly order: number;
  /** BSON; undefined: deleted. */
  readonly data: Uint8Array | undefined;
}

/** An error after which the client retries the whole transaction. */
export const transient = (
  codeName: "WriteConflict" | "NoSuchTransaction" | "SnapshotUnavailable",
  message: string,
): CommandError => new CommandError(codeName, message, { errorLabels: ["TransientTransactionError"] });

const conflict = (): CommandError =>
  transient(
    "WriteConflict",
    "Caused by :: Write conflict during transaction: another client changed the document. Retry the transaction.",
  );

const keyOf = (collection: number, id: string): string => `${collection} ${id}`;

export class Transaction {
  readonly changes: Change[] = [];
  readonly isSnapshot: boolean;
  /** Changes with a higher number conflict. */
  readonly begin: number;
  readonly endMs = performance.now() + LIFETIME_MS;
  bytes = 0;
  nextOrder = FIRST_ORDER;
  isOpen = true;
  hasConflict = false;
  /** Whether a command of the transaction is paused. */
  isBusy = false;

  constructor(begin: number, isSnapshot: boolean) {
    this.begin = begin;
    this.isSnapshot = isSnapshot;
  }
}

/**
 * Open transactions hold no locks between commands; their changes are held in memory. Each slice of a statement applies them, runs,
 * and is rolled back. The commit applies them permanently, unless other clients have changed one of the documents.
 */
export class Transactions {
  readonly #database: Database;
  readonly #catalog: Catalog;
  readonly #commit: () => void;
  readonly #open = new Set<Transaction>();
  /** The transaction that has changed each document. */
  readonly #owners = new Map<string, Transaction>();
  /** The last committed change of each document since the start of the oldest open transaction. */
  readonly #noted = new Map<string, number>();
  /** The last committed change by namespace. */
  readonly #notedNamespaces = new Map<string, number>();
  #sequence = 0;
  #bytes = 0;
  /** The transaction whose statement is running. */
  #running: Transaction | undefined;
  #isRepeating = false;

  /** @param commit commits all changes of this turn, or rolls them back and throws */
  constructor(database: Database, catalog: Catalog, commit: () => void) {
    this.#database = database;
    this.#catalog = catalog;
    this.#commit = commit;
  }

  /** @param isSnapshot whether statements fail if they would read later changes of others */
  begin(isSnapshot: boolean): Transaction {
    if (this.#open.size >= MAX_OPEN) this.expire();
    if (this.#open.size >= MAX_OPEN)
      throw transient("WriteConflict", `More than ${MAX_OPEN} transactions are open. Try again later.`);
    const transaction = new Transaction(this.#sequence, isSnapshot);
    this.#open.add(transaction);
    this.#database.watcher = this;
    return transaction;
  }

  /**
   * Runs a statement of a transaction.
   * @param namespace the collection that it reads; undefined if unknown
   * @throws the error of the task; CommandError WriteConflict, SnapshotUnavailable, NoSuchTransaction
   */
  *run<T>(transaction: Transaction, namespace: string | undefined, task: Task<T>): Task<T> {
    while (transaction.isBusy) yield PAUSE;
    let isDone = false;
    transaction.isBusy = true;
    try {
      for (;;) {
        this.#check(transaction);
        this.#checkSnapshot(transaction, namespace);
        const { done, value } = this.#undone(transaction, () => this.#step(transaction, task));
        isDone = done === true;
        if (done) return value;
        yield PAUSE;
      }
    } finally {
      transaction.isBusy = false;
      if (!isDone) task.return(undefined as T);
    }
  }

  /** @throws CommandError, or the disk's error; the transaction is aborted then */
  commit(transaction: Transaction): void {
    try {
      this.#check(transaction);
      // Committed separately, so that a rejected document doesn't roll back changes of other commands.
      this.#undone(transaction, () => this.#repeat(transaction));
    } finally {
      this.abort(transaction);
    }
    try {
      for (const { data, id, ...change } of transaction.changes) this.#collection(change).repeat(id, data);
    } catch (error) {
      this.#database.fail(error);
    }
    this.#commit();
  }

  abort(transaction: Transaction): void {
    if (!this.#open.delete(transaction)) return;
    transaction.isOpen = false;
    this.#bytes -= transaction.bytes;
    for (const { collection, id } of transaction.changes) this.#owners.delete(keyOf(collection, id));
    if (this.#open.size > 0) return;
    this.#noted.clear();
    this.#notedNamespaces.clear();
    this.#database.watcher = undefined;
  }

  /** Aborts expired transactions. */
  expire(): void {
    const now = performance.now();
    for (const transaction of this.#open) if (transaction.endMs <= now) this.abort(transaction);
  }

  /** Called for each changed document while transactions are open. */
  changed(collection: Collection, id: string, order: number, data: Uint8Array | undefined): void {
    if (this.#isRepeating) return;
    if (this.#running) this.#record(this.#running, collection, { id, order, data });
    else this.#note(collection, id);
  }

  /** Called for writes that leave a document unchanged: they can conflict too, because they can be based on an older version. */
  written({ number }: Collection, id: string): void {
    if (this.#running) this.#checkConflict(this.#running, number, id);
  }

  /** Called when a collection was dropped, created or renamed. */
  namespaceChanged(namespace: string): void {
    this.#notedNamespaces.set(namespace, ++this.#sequence);
  }

  /** The natural order of the running statement's next insert; undefined outside of transactions. */
  takeOrder(): number | undefined {
    return this.#running && this.#running.nextOrder++;
  }

  #step<T>(transaction: Transaction, task: Task<T>): IteratorResult<typeof PAUSE, T> {
    try {
      this.#repeat(transaction);
      this.#running = transaction;
      return task.next();
    } finally {
      this.#running = undefined;
    }
  }

  #undone<T>(transaction: Transaction, run: () => T): T {
    try {
      return this.#database.undone(run);
    } finally {
      // The cache must not show the changes to others.
      for (const { collection, order, id } of transaction.changes) {
        this.#database.uncache(collection, order);
        this.#database.uncacheOrder(collection, id);
      }
    }
  }

  /** Applies the transaction's changes so far. @throws CommandError WriteConflict */
  #repeat({ changes }: Transaction): void {
    this.#isRepeating = true;
    try {
      for (const { data, id, order, ...change } of changes) this.#collection(change).repeat(id, data, order);
    } catch (error) {
      if (error instanceof CommandError) throw conflict();
      throw error;
    } finally {
      this.#isRepeating = false;
    }
  }

  #collection({ db, name, collection }: Pick<Change, "db" | "name" | "collection">): Collection {
    const found = this.#catalog.find(db, name);
    if (found?.number !== collection) throw conflict();
    return found;
  }

  #check(transaction: Transaction): void {
    if (transaction.endMs <= performance.now()) this.abort(transaction);
    if (!transaction.isOpen)
      throw transient("NoSuchTransaction", "The transaction has been aborted, or was open for too long.");
    if (transaction.hasConflict) throw conflict();
  }

  #checkSnapshot({ isSnapshot, begin }: Transaction, namespace: string | undefined): void {
    if (!isSnapshot) return;
    const changed = namespace === undefined ? this.#sequence : (this.#notedNamespaces.get(namespace) ?? 0);
    if (changed > begin)
      throw transient(
        "SnapshotUnavailable",
        "The snapshot is no longer available: the collection was changed by others.",
      );
  }

  #record(
    transaction: Transaction,
    { number, db, name }: Collection,
    { id, order, data }: Pick<Change, "id" | "order" | "data">,
  ): void {
    try {
      this.#checkConflict(transaction, number, id);
    } catch (error) {
      // Not part of the transaction, so it must not stay in the cache.
      this.#database.uncache(number, order);
      this.#database.uncacheOrder(number, id);
      throw error;
    }
    const bytes = id.length + (data?.length ?? 0);
    const { changes } = transaction;
    this.#owners.set(keyOf(number, id), transaction);
    changes.push({ collection: number, db, name, id, order, data: data && Buffer.from(data) });
    transaction.bytes += bytes;
    this.#bytes += bytes;
    if (changes.length > MAX_CHANGES || transaction.bytes > MAX_BYTES || this.#bytes > MAX_TOTAL_BYTES)
      throw new CommandError(
        "TransactionTooLarge",
        `A transaction can change ${MAX_CHANGES} documents and ${MAX_BYTES} bytes, all open ones ${MAX_TOTAL_BYTES} bytes`,
      );
  }

  /** @throws CommandError WriteConflict if another transaction writes the document, or others have since this one began */
  #checkConflict(transaction: Transaction, collection: number, id: string): void {
    const key = keyOf(collection, id);
    const owner = this.#owners.get(key) ?? transaction;
    if (owner !== transaction || (this.#noted.get(key) ?? 0) > transaction.begin) throw conflict();
  }

  #note(collection: Collection, id: string): void {
    const key = keyOf(collection.number, id);
    this.#noted.set(key, ++this.#sequence);
    this.#notedNamespaces.set(collection.namespace, this.#sequence);
    const owner = this.#owners.get(key);
    if (owner) owner.hasConflict = true;
    if (this.#noted.size <= MAX_NOTED) return;
    // Conflicts can no longer be detected.
    for (const transaction of this.#open) transaction.hasConflict = true;
    this.#noted.clear();
  }
}
