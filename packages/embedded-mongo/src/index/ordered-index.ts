import { createRequire } from "node:module";
import type SortedBTree from "sorted-btree";
import { filterFields } from "../query/filter-fields.ts";
import { compileFilter, type DocumentTest } from "../query/matcher.ts";
import type { StoredRecord } from "../storage/record.ts";
import { encodeOrder } from "../values/key.ts";
import { splitPath } from "../values/path.ts";
import type { PlainObject } from "../values/types.ts";
import { documentKeys, type KeyField } from "./keys.ts";
import type { IndexSpec } from "./spec.ts";

// The package is CommonJS with a `default`, which loaders import in different ways; `require` is one way everywhere.
const { default: BTree } = createRequire(import.meta.url)("sorted-btree") as typeof SortedBTree;

const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Bytes one entry costs besides the characters of its key: string header and two tree slots. */
const ENTRY_OVERHEAD_BYTES = 40;

/** A range of encoded keys: `low` inclusive, `high` exclusive. */
export interface KeyRange {
  readonly low: string;
  readonly high: string;
}

/** A sorted index (every kind but text). */
export class OrderedIndex {
  readonly spec: IndexSpec;
  readonly fields: readonly KeyField[];
  /** Whether field i has met an array in any document, ever. */
  readonly multikeyFields: boolean[];
  readonly #partial: DocumentTest | undefined;
  readonly #tree = new BTree<string, StoredRecord>(undefined, compareKeys);
  #bytes = 0;

  constructor(spec: IndexSpec) {
    this.spec = spec;
    this.fields = spec.fields.map(({ path, direction }) => ({ path: splitPath(path), direction }));
    this.multikeyFields = this.fields.map(() => false);
    this.#partial = spec.partialFilter && compileFilter(spec.partialFilter);
  }

  /** The top-level fields that decide about the keys of a document. */
  get topLevelFields(): string[] {
    const filter = this.spec.partialFilter ? filterFields(this.spec.partialFilter) : [];
    return [...this.fields.map(({ path }) => path[0]!), ...filter];
  }

  get multikey(): boolean {
    return this.multikeyFields.includes(true);
  }

  /** Estimated memory of all entries, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  keysOf(document: PlainObject): string[] {
    if (this.#partial && !this.#partial(document)) return [];
    const { keys, multikey, anyPresent } = documentKeys(document, this.fields);
    if (this.spec.sparse && !anyPresent) return [];
    if (multikey) for (const [i, isMulti] of multikey.entries()) if (isMulti) this.multikeyFields[i] = true;
    return keys;
  }

  /** The record of another document that already holds one of these keys of a unique index. */
  conflict(keys: readonly string[], own: StoredRecord | undefined): StoredRecord | undefined {
    if (!this.spec.unique) return undefined;
    for (const key of keys) {
      const holder = this.#tree.get(key);
      if (holder !== undefined && holder !== own) return holder;
    }
    return undefined;
  }

  add(keys: readonly string[], record: StoredRecord): void {
    for (const key of keys) {
      const full = this.#full(key, record);
      this.#tree.set(full, record);
      this.#bytes += full.length + ENTRY_OVERHEAD_BYTES;
    }
  }

  remove(keys: readonly string[], record: StoredRecord): void {
    for (const key of keys) {
      const full = this.#full(key, record);
      if (this.#tree.delete(full)) this.#bytes -= full.length + ENTRY_OVERHEAD_BYTES;
    }
  }

  /** Replaces the entries of `before` by those of `after`, touching only what differs. */
  change(before: readonly string[], after: readonly string[], record: StoredRecord): void {
    if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
    this.remove(
      before.filter((key) => !after.includes(key)),
      record,
    );
    this.add(
      after.filter((key) => !before.includes(key)),
      record,
    );
  }

  *scan(range: KeyRange, backwards: boolean): Generator<StoredRecord> {
    if (backwards) {
      for (const [key, record] of this.#tree.entriesReversed(range.high, undefined, true)) {
        if (key < range.low) return;
        yield record;
      }
    } else {
      for (const [key, record] of this.#tree.entries(range.low)) {
        if (key >= range.high) return;
        yield record;
      }
    }
  }

  #full(key: string, record: StoredRecord): string {
    return this.spec.unique ? key : key + encodeOrder(record.order);
  }
}
