import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { OrderedIndex } from "../index/ordered-index.ts";
import type { IndexSpec } from "../index/spec.ts";
import type { TextIndex } from "../index/text-index.ts";
import { sortAll } from "../query/sort.ts";
import type { PlainObject } from "../values/types.ts";

/** Memory of the entries that are sorted together, and of each in addition to its key. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
const PENDING_ENTRY_BYTES = 80;

interface Entry {
  readonly key: string;
  readonly order: number;
}

const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.order - b.order);

/**
 * An index that a paused command builds in natural order. Changes of documents that it already contains are applied to it; all other
 * documents are read later.
 *
 * Entries are written in the order of their keys, because in natural order each can be in another page, and every pause writes all
 * changed pages to the log.
 */
export class IndexBuild {
  readonly number: number;
  readonly index: OrderedIndex | TextIndex;
  /** Estimated size of the entries on disk. */
  bytes = 0;
  readonly #duplicateKey: (order: number, document?: PlainObject) => CommandError;
  #lastOrder = 0;
  #failure: unknown;
  #pending: Entry[] = [];
  #pendingBytes = 0;
  /** The last document without pending entries. */
  #writtenOrder = 0;
  /** Documents whose pending entries are outdated. */
  readonly #changed = new Set<number>();

  /** @param duplicateKey creates the error for a document, which it reads if it isn't given */
  constructor(
    number: number,
    index: OrderedIndex | TextIndex,
    duplicateKey: (order: number, document?: PlainObject) => CommandError,
  ) {
    this.number = number;
    this.index = index;
    this.#duplicateKey = duplicateKey;
  }

  get spec(): IndexSpec {
    return this.index.spec;
  }

  /** The last document that was added. */
  get lastOrder(): number {
    return this.#lastOrder;
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Whether pending entries must be written before more are added. */
  get isFull(): boolean {
    return this.#pendingBytes > MAX_PENDING_BYTES;
  }

  /** @throws CommandError DuplicateKey, or the error of a change */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  abort(): void {
    this.#failure = new CommandError("IndexBuildAborted", `the build of index ${this.spec.name} was aborted`);
  }

  /** Adds the next document in natural order. @throws CommandError as `check` does */
  add(document: PlainObject, order: number): void {
    this.check();
    this.#lastOrder = order;
    const { index } = this;
    // With a collation, uniqueness depends on the documents.
    if (!(index instanceof OrderedIndex) || index.spec.collation) this.#change(undefined, document, order);
    else
      for (const key of index.keysOf(document)) {
        this.#pending.push({ key, order });
        this.#pendingBytes += key.length + PENDING_ENTRY_BYTES;
        this.bytes += OrderedIndex.bytesOf([key]);
      }
    this.check();
  }

  /** Writes the pending entries. @throws CommandError as `check` does */
  *write(): Task<void> {
    const { index } = this;
    if (index instanceof OrderedIndex) {
      const entries = yield* sortAll(this.#pending, byKey);
      this.#pending = [];
      this.#pendingBytes = 0;
      for (const { key, order } of entries) {
        this.check();
        if (!this.#changed.has(order) && !index.change({ removed: [], added: [key] }, order))
          throw this.#duplicateKey(order);
        if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
      }
      this.#changed.clear();
      this.#writtenOrder = this.#lastOrder;
    }
    this.check();
  }

  replace(before: PlainObject, after: PlainObject, order: number): void {
    if (order <= this.#lastOrder) this.#change(before, after, order);
  }

  remove(document: PlainObject, order: number): void {
    if (order <= this.#lastOrder) this.#change(document, undefined, order);
  }

  /** A document that conflicts with the index fails the build, not the command that changed the document. */
  #change(before: PlainObject | undefined, after: PlainObject | undefined, order: number): void {
    if (this.#failure !== undefined) return;
    const { index } = this;
    if (!(index instanceof OrderedIndex)) {
      if (before) index.remove(before, order);
      if (after) index.add(after, order);
      return;
    }
    if (before && order > this.#writtenOrder) this.#changed.add(order);
    try {
      const removed = before ? index.keysOf(before) : [];
      const added = after ? index.keysOf(after) : [];
      if (!index.change({ removed, added }, order, after)) this.#failure = this.#duplicateKey(order, after);
      this.bytes += OrderedIndex.bytesOf(added) - OrderedIndex.bytesOf(removed);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#failure = error;
    }
  }
}
