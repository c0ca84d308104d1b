import { CommandError } from "../errors.ts";
import { OrderedIndex } from "../index/ordered-index.ts";
import type { IndexSpec } from "../index/spec.ts";
import type { TextIndex } from "../index/text-index.ts";
import type { PlainObject } from "../values/types.ts";

/**
 * An index that a paused command builds in natural order. Changes of documents that it already contains are applied to it; all other
 * documents are read later.
 */
export class IndexBuild {
  readonly number: number;
  readonly index: OrderedIndex | TextIndex;
  /** Estimated size of the entries on disk. */
  bytes = 0;
  readonly #duplicateKey: (document: PlainObject) => CommandError;
  #lastOrder = 0;
  #failure: unknown;

  constructor(
    number: number,
    index: OrderedIndex | TextIndex,
    duplicateKey: (document: PlainObject) => CommandError,
  ) {
    this.number = number;
    this.index = index;
    this.#duplicateKey = duplicateKey;
  }

  get spec(): IndexSpec {
    return this.index.spec;
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
    this.#change(undefined, document, order);
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
    try {
      const removed = before ? index.keysOf(before) : [];
      const added = after ? index.keysOf(after) : [];
      if (!index.change({ removed, added }, order, after)) this.#failure = this.#duplicateKey(after!);
      this.bytes += OrderedIndex.bytesOf(added) - OrderedIndex.bytesOf(removed);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#failure = error;
    }
  }
}
