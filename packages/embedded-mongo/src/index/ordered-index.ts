import type { StatementSync } from "node:sqlite";
import { isPauseDue, PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { compileFilter, type DocumentTest, filterFields } from "../query/matcher.ts";
import type { Database, Value } from "../storage/database.ts";
import type { Collation } from "../values/collation.ts";
import { AFTER, keyBytes } from "../values/order.ts";
import { splitPath } from "../values/path.ts";
import type { PlainObject } from "../values/types.ts";
import { documentKeys, type KeyField } from "./keys.ts";
import { RangeCache } from "./range-cache.ts";
import type { IndexSpec } from "./spec.ts";

/** Estimated size of an entry on disk, without its key. */
const ENTRY_OVERHEAD_BYTES = 12;

/** The initial and maximum number of entries that a scan reads per query. */
const FIRST_CHUNK = 64;
const MAX_CHUNK = 4096;

/** The maximum number of entries in a cached range. */
const MAX_CACHED = 128;

/** Entries counted per query: about a millisecond. */
const COUNT_CHUNK = 16_384;

/** Up to this number, a count needs no pause, and is cheaper without a limit. */
const FEW = 2 * COUNT_CHUNK;

/** A range of encoded keys: `low` inclusive, `high` exclusive. Both can end with `AFTER`. */
export interface KeyRange {
  readonly low: string;
  readonly high: string;
}

/** The table of an index. */
export interface IndexTable {
  readonly name: string;
  readonly keyColumn: string;
  /** The key alone is the primary key; otherwise it is the key and the order. */
  readonly isKeyUnique: boolean;
}

/** The keys that a document change removes from and adds to an index. */
export interface KeyChange {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const NO_CHANGE: KeyChange = { removed: [], added: [] };

/** A sorted index (all kinds except text): a table of encoded keys and the orders of their documents. */
export class OrderedIndex {
  readonly spec: IndexSpec;
  readonly fields: readonly KeyField[];
  /** The top-level fields that determine the keys of a document. */
  readonly topLevelFields: readonly string[];
  /** Whether field i was ever an array in any document. */
  readonly multikeyFields: boolean[];
  readonly #database: Database;
  readonly #table: IndexTable;
  readonly #partial: DocumentTest | undefined;
  readonly #documentOf: (order: number) => PlainObject | undefined;
  readonly #cache: RangeCache | undefined;
  readonly #statements: StatementSync[] = [];
  #insert: StatementSync | undefined;
  #delete: StatementSync | undefined;
  #othersWith: StatementSync | undefined;
  #isMultikeySaved = true;
  #isDropped = false;

  /**
   * @param documentOf reads the document of an entry
   * @param multikey bit i for field i
   */
  constructor(
    database: Database,
    table: IndexTable,
    spec: IndexSpec,
    documentOf: (order: number) => PlainObject | undefined,
    multikey = 0,
  ) {
    this.#documentOf = documentOf;
    this.#database = database;
    this.#table = table;
    // Keys in the table of the documents change without this object.
    if (table.keyColumn === "key") this.#cache = new RangeCache(database.ranges, table.name);
    this.spec = spec;
    this.fields = spec.fields.map(({ path, direction }) => ({ path: splitPath(path), direction }));
    const filtered = spec.partialFilter ? filterFields(spec.partialFilter) : [];
    this.topLevelFields = [...this.fields.map(({ path }) => path[0]!), ...filtered];
    this.multikeyFields = this.fields.map((_, i) => (multikey & (1 << i)) !== 0);
    this.#partial = spec.partialFilter && compileFilter(spec.partialFilter, spec);
  }

  get multikey(): boolean {
    return this.multikeyFields.includes(true);
  }

  keysOf(document: PlainObject): string[] {
    if (this.#partial && !this.#partial(document)) return [];
    const { keys, multikey, anyPresent } = documentKeys(document, this.fields, this.spec.collation?.keyOf);
    if (this.spec.sparse && !anyPresent) return [];
    for (const [i, isMulti] of (multikey ?? []).entries()) {
      if (!isMulti || this.multikeyFields[i]) continue;
      this.multikeyFields[i] = true;
      this.#isMultikeySaved = false;
    }
    return keys;
  }

  /** Returns the bits of `multikeyFields` if they changed since the last call. */
  takeNewMultikey(): number | undefined {
    if (this.#isMultikeySaved) return undefined;
    this.#isMultikeySaved = true;
    return this.multikeyBits;
  }

  get multikeyBits(): number {
    return this.multikeyFields.reduce((bits, isMulti, i) => (isMulti ? bits | (1 << i) : bits), 0);
  }

  /** The difference between the keys of two versions of a document; undefined: it doesn't exist. */
  changeOf(before: PlainObject | undefined, after: PlainObject | undefined): KeyChange {
    // Updates keep the values of other fields, except arrays and objects, which they copy.
    if (before && after && this.topLevelFields.every((name) => before[name] === after[name]))
      return NO_CHANGE;
    const old = before ? this.keysOf(before) : [];
    const fresh = after ? this.keysOf(after) : [];
    if (old.length === 0 || fresh.length === 0) return { removed: old, added: fresh };
    return {
      removed: old.filter((key) => !fresh.includes(key)),
      added: fresh.filter((key) => !old.includes(key)),
    };
  }

  /**
   * @param document the new document; undefined if it is already in the index
   * @returns false, with nothing changed, if the index is unique and another document has one of the keys
   */
  change({ removed, added }: KeyChange, order: number, document?: PlainObject): boolean {
    this.#remove(removed, order);
    const undo = (count: number) => {
      this.#remove(added.slice(0, count), order);
      for (const taken of removed) this.#add(taken, order);
      return false;
    };
    for (const [i, key] of added.entries()) if (!this.#add(key, order)) return undo(i);
    return document !== undefined && this.#isTaken(document, order) ? undo(added.length) : true;
  }

  /** Whether another document has an equal key. Only needed with a collation; otherwise keys are unique in the table. */
  #isTaken(document: PlainObject, order: number): boolean {
    const { unique, collation } = this.spec;
    if (!unique || !collation) return false;
    this.#othersWith ??= this.#database.prepare(
      `SELECT ord FROM ${this.#table.name} WHERE key = ? AND ord <> ?`,
    );
    for (const key of this.keysOf(document)) {
      const others = this.#othersWith.all(keyBytes(key), order) as unknown as [number][];
      for (const [other] of others) {
        const stored = this.#documentOf(other);
        if (stored && haveEqualKeys(document, stored, this.fields, collation)) return true;
      }
    }
    return false;
  }

  /** Estimated size of these entries on disk. */
  static bytesOf(keys: readonly string[]): number {
    return keys.reduce((sum, key) => sum + key.length + ENTRY_OVERHEAD_BYTES, 0);
  }

  /** Called after the table was dropped: scans fail. */
  markDropped(): void {
    this.#isDropped = true;
  }

  /**
   * The orders of the first documents in a range, sorted by key.
   * @throws CommandError QueryPlanKilled if the index was dropped
   */
  first(range: KeyRange, backwards: boolean, count: number): readonly number[] {
    this.#checkReadable();
    const cache = count <= MAX_CACHED ? this.#usableCache : undefined;
    const cached = cache?.get(range, backwards, count);
    if (cached) return cached;
    const bounds = byteRange(range);
    if (bounds === undefined) return [];
    const values = bounds.high === undefined ? [bounds.low, count] : [bounds.low, bounds.high, count];
    const orders = this.#all("orders", backwards, bounds, false, values).map(([order]) => order!);
    cache?.set(range, backwards, count, orders);
    return orders;
  }

  /** undefined while changes that will be rolled back are visible. */
  get #usableCache(): RangeCache | undefined {
    return this.#database.isUndone ? undefined : this.#cache;
  }

  /**
   * The orders of the documents in a range, sorted by key. If an entry changes during the scan, it can be skipped or returned
   * twice.
   * @param wanted the number of entries to read first, if the caller knows how many it needs
   * @throws CommandError QueryPlanKilled if the index is dropped during the scan
   */
  *scan(range: KeyRange, backwards: boolean, wanted = 0): Generator<number | typeof PAUSE> {
    const bounds = byteRange(range);
    if (bounds === undefined) return;
    let seen: ReadonlySet<number> | undefined;
    if (wanted > 0 && wanted <= MAX_CHUNK) {
      const first = this.first(range, backwards, wanted);
      for (const order of first) {
        if (isPauseDue()) yield PAUSE;
        yield order;
      }
      if (first.length < wanted) return;
      seen = new Set(first);
    }
    for (const order of this.#scanOn(bounds, backwards))
      if (order === PAUSE || !seen?.has(order)) yield order;
  }

  *#scanOn(bounds: ByteRange, backwards: boolean): Generator<number | typeof PAUSE> {
    let after: Place | undefined;
    for (let size = FIRST_CHUNK; ; size = Math.min(size * 4, MAX_CHUNK)) {
      const values = this.#values(bounds, backwards, after);
      const found = this.#all("orders", backwards, bounds, after !== undefined, [...values, size]);
      if (found.length === size) after = this.#placeAt(size - 1, bounds, backwards, after);
      for (const [order] of found) {
        if (isPauseDue()) yield PAUSE;
        yield order!;
      }
      if (found.length < size) return;
    }
  }

  /**
   * The number of entries in a range.
   * @param most entries that the index can have
   * @throws CommandError QueryPlanKilled if the index is dropped during the count
   */
  *count(range: KeyRange, most: number): Task<number> {
    const bounds = byteRange(range);
    if (bounds === undefined) return 0;
    if (most <= FEW) {
      const [[all]] = this.#all("countAll", false, bounds, false, this.#values(bounds, false, undefined)) as [
        [number],
      ];
      return all;
    }
    let after: Place | undefined;
    for (let count = 0; ;) {
      const values = this.#values(bounds, false, after);
      const [[found]] = this.#all("count", false, bounds, after !== undefined, [...values, COUNT_CHUNK]) as [
        [number],
      ];
      count += found;
      if (found < COUNT_CHUNK) return count;
      after = this.#placeAt(COUNT_CHUNK - 1, bounds, false, after);
      if (isPauseDue(COUNT_CHUNK)) yield PAUSE;
    }
  }

  #placeAt(offset: number, bounds: ByteRange, backwards: boolean, after: Place | undefined): Place {
    const values = this.#values(bounds, backwards, after);
    const [[key, order]] = this.#all("place", backwards, bounds, after !== undefined, [
      ...values,
      offset,
    ]) as unknown as [[Uint8Array, number]];
    return { key, order };
  }

  /** Estimated size of all entries on disk. */
  bytes(): number {
    return this.#database.number(
      `SELECT total(length(key) + ${ENTRY_OVERHEAD_BYTES}) FROM ${this.#table.name}`,
    );
  }

  /** @returns false if the index is unique and already has the key */
  #add(key: string, order: number): boolean {
    this.#insert ??= this.#database.prepare(
      `INSERT OR IGNORE INTO ${this.#table.name} (key, ord) VALUES (?, ?)`,
    );
    this.#cache?.changed(key);
    return this.#database.run(this.#insert, keyBytes(key), order) > 0;
  }

  #remove(keys: readonly string[], order: number): void {
    this.#delete ??= this.#database.prepare(`DELETE FROM ${this.#table.name} WHERE key = ? AND ord = ?`);
    for (const key of keys) {
      this.#cache?.changed(key);
      this.#database.run(this.#delete, keyBytes(key), order);
    }
  }

  #all(what: What, backwards: boolean, bounds: ByteRange, isContinued: boolean, values: Value[]): number[][] {
    this.#checkReadable();
    return this.#statement(what, backwards, bounds, isContinued).all(...values) as unknown as number[][];
  }

  #checkReadable(): void {
    if (this.#isDropped)
      throw new CommandError("QueryPlanKilled", `the index ${this.spec.name} was dropped during the query`);
  }

  /** The parameters of the statement for a range. */
  #values({ low, high }: ByteRange, backwards: boolean, after: Place | undefined): Value[] {
    const values: Value[] = [];
    if (after !== undefined) values.push(after.key);
    if (after !== undefined && !this.#table.isKeyUnique) values.push(after.order);
    if (after === undefined || backwards) values.push(low);
    if (high !== undefined && (after === undefined || !backwards)) values.push(high);
    return values;
  }

  #statement(what: What, backwards: boolean, { high }: ByteRange, isContinued: boolean): StatementSync {
    const number =
      WHATS.indexOf(what) * 8 + (backwards ? 4 : 0) + (high === undefined ? 2 : 0) + (isContinued ? 1 : 0);
    return (this.#statements[number] ??= this.#database.prepare(
      this.#sql(what, backwards, high !== undefined, isContinued),
    ));
  }

  #sql(what: What, backwards: boolean, isBounded: boolean, isContinued: boolean): string {
    const { name, keyColumn: key, isKeyUnique } = this.#table;
    const conditions: string[] = [];
    if (isContinued) {
      const sign = backwards ? "<" : ">";
      conditions.push(isKeyUnique ? `${key} ${sign} ?` : `(${key}, ord) ${sign} (?, ?)`);
    }
    if (!isContinued || backwards) conditions.push(`${key} >= ?`);
    if (isBounded && (!isContinued || !backwards)) conditions.push(`${key} < ?`);
    const from = `FROM ${name} WHERE ${conditions.join(" AND ")}`;
    const way = backwards ? "DESC" : "ASC";
    const order = isKeyUnique ? `${key} ${way}` : `${key} ${way}, ord ${way}`;
    if (what === "countAll") return `SELECT count(*) ${from}`;
    if (what === "count") return `SELECT count(*) FROM (SELECT 1 ${from} ORDER BY ${order} LIMIT +?)`;
    if (what === "place") return `SELECT ${key}, ord ${from} ORDER BY ${order} LIMIT 1 OFFSET +?`;
    return `SELECT ord ${from} ORDER BY ${order} LIMIT +?`;
  }
}

function haveEqualKeys(
  one: PlainObject,
  two: PlainObject,
  fields: readonly KeyField[],
  { compare }: Collation,
): boolean {
  const texts: string[] = [];
  const encodeText = (text: string): string => {
    const known = texts.findIndex((other) => compare(other, text) === 0);
    return `${known < 0 ? texts.push(text) - 1 : known}\0`;
  };
  const keys = new Set(documentKeys(one, fields, encodeText).keys);
  return documentKeys(two, fields, encodeText).keys.some((key) => keys.has(key));
}

const WHATS = ["orders", "place", "count", "countAll"] as const;
type What = (typeof WHATS)[number];

/** An entry that a scan continues after. */
interface Place {
  readonly key: Uint8Array;
  readonly order: number;
}

interface ByteRange {
  readonly low: Uint8Array;
  /** undefined: unbounded */
  readonly high: Uint8Array | undefined;
}

/** undefined: the range is empty. */
function byteRange({ low, high }: KeyRange): ByteRange | undefined {
  const first = low.endsWith(AFTER) ? successor(low.slice(0, -1)) : keyBytes(low);
  if (first === undefined) return undefined;
  return { low: first, high: high.endsWith(AFTER) ? successor(high.slice(0, -1)) : keyBytes(high) };
}

/** The lowest bytes above all keys with this prefix; undefined if there are none. */
function successor(prefix: string): Uint8Array | undefined {
  const bytes = keyBytes(prefix);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 255) end--;
  if (end === 0) return undefined;
  bytes[end - 1]!++;
  return bytes.subarray(0, end);
}
