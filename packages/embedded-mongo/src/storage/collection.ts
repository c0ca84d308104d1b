import { crc32 } from "node:zlib";
import { ObjectId, type UUID } from "bson";
import type { StatementSync } from "node:sqlite";
import { CHANGE_WEIGHT, currentSlice, isPauseDue, PAUSE, type Task, weightOf } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { type IndexTable, OrderedIndex, type KeyChange } from "../index/ordered-index.ts";
import {
  describeKey,
  duplicateKey,
  ID_INDEX,
  type IndexSpec,
  parseIndexSpec,
  sameIndex,
  sameKeyPattern,
} from "../index/spec.ts";
import { TextIndex } from "../index/text-index.ts";
import { IndexBuild } from "./index-build.ts";
import { decodeExact, decodeFields, decodePlain, encode, pack, packNames, unpack } from "../values/codec.ts";
import { COLLATION_VERSION, type Collation, sameCollation } from "../values/collation.ts";
import { encodeKey, keyBytes } from "../values/order.ts";
import { isObject, isOperatorName, Rank, rankOf, type PlainObject } from "../values/types.ts";
import type { Counted, Database, StoredRecord } from "./database.ts";

/** MongoDB's maximum document size in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const MAX_INDEXES = 64;

/** Limits of the documents that a scan reads per query. */
const CHUNK_BYTES = 256 * 1024;
const FIRST_CHUNK = 64;
const MAX_CHUNK = 500;

const ID_SPEC: IndexSpec = parseIndexSpec({ key: { _id: 1 }, name: ID_INDEX });

export interface CollectionName {
  /** Numbers are never reused. */
  readonly number: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: UUID;
}

export interface Counts {
  documents: number;
  /** Total size of the documents as BSON, in bytes. */
  documentBytes: number;
  /** Estimated size on disk. */
  indexBytes: number;
}

/** An index with the number of its table. */
interface Numbered<T> {
  readonly number: number;
  readonly index: T;
}

/**
 * Documents in natural order with their indexes. Every change of both is atomic.
 *
 * Tables: `d<number>` has the documents, `x<number>` the entries of an index, `t<number>` those of a text index.
 */
export class Collection implements Counted {
  readonly number: number;
  readonly uuid: UUID;
  db: string;
  name: string;
  readonly #database: Database;
  readonly #table: string;
  readonly #counts: Counts;
  readonly #idIndex: OrderedIndex;
  #indexes: readonly Numbered<OrderedIndex>[] = [];
  #ordered: readonly OrderedIndex[] = [];
  #text: Numbered<TextIndex> | undefined;
  #indexedFields = packNames(["_id"]);
  #nextOrder: number;
  /** Indexes that paused commands are building. */
  readonly #building = new Set<IndexBuild>();
  #isDropped = false;
  #isReplaced = false;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #select: StatementSync;
  readonly #orderOf: StatementSync;
  readonly #page: StatementSync;
  #saveCounts: StatementSync | undefined;

  /** @param stored counts of an existing collection; without them its table is created */
  constructor(database: Database, { number, db, name, uuid }: CollectionName, stored?: Counts) {
    this.number = number;
    this.uuid = uuid;
    this.db = db;
    this.name = name;
    this.#database = database;
    const table = `d${number}`;
    this.#table = table;
    if (!stored) {
      database.define(
        `CREATE TABLE ${table} (ord INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, data BLOB NOT NULL, crc INTEGER NOT NULL)`,
      );
    }
    this.#counts = stored ?? { documents: 0, documentBytes: 0, indexBytes: 0 };
    this.#nextOrder = database.number(`SELECT coalesce(max(ord), 0) + 1 FROM ${table}`);
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (ord, id, data, crc) VALUES (?, ?, ?, ?)`,
    );
    this.#update = database.prepare(`UPDATE ${table} SET data = ?, crc = ? WHERE ord = ?`);
    this.#delete = database.prepare(`DELETE FROM ${table} WHERE ord = ?`);
    this.#select = database.prepare(`SELECT ord, data, crc FROM ${table} WHERE ord = ?`);
    this.#orderOf = database.prepare(`SELECT ord FROM ${table} WHERE id = ?`);
    this.#page = database.prepare(`SELECT ord, data, crc FROM ${table} WHERE ord > ? ORDER BY ord LIMIT +?`);
    this.#idIndex = this.#orderedOn({ name: table, keyColumn: "id", isKeyUnique: true }, ID_SPEC);
    if (stored) this.#loadIndexes();
  }

  /** Incremented by every change of any collection. */
  get changes(): number {
    return this.#database.changes;
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  get count(): number {
    return this.#counts.documents;
  }

  get documentBytes(): number {
    return this.#counts.documentBytes;
  }

  get indexBytes(): number {
    return this.#counts.indexBytes;
  }

  /** The index over `_id`. */
  get idIndex(): OrderedIndex {
    return this.#idIndex;
  }

  get indexes(): readonly OrderedIndex[] {
    return this.#ordered;
  }

  get textIndex(): TextIndex | undefined {
    return this.#text?.index;
  }

  get #idSpec(): IndexSpec {
    return this.#ordered.find(({ spec }) => spec.name === ID_INDEX)?.spec ?? ID_SPEC;
  }

  /** The default collation of queries and indexes. As in MongoDB, it is always that of the `_id` index too. */
  get collation(): Collation | undefined {
    return this.#idSpec.collation;
  }

  /** Sets the default collation. Only for a collection without documents and indexes. */
  setIdIndex(spec: IndexSpec): void {
    const number = this.#insertIndex(this.number, spec);
    this.#defineTable(number, spec);
    this.#add(number, spec, 0);
  }

  get #numbered(): Numbered<OrderedIndex | TextIndex>[] {
    return [...this.#indexes, ...(this.#text ? [this.#text] : [])];
  }

  get specs(): readonly IndexSpec[] {
    const idSpec = this.#idSpec;
    return [
      idSpec,
      ...this.#ordered.map(({ spec }) => spec).filter((spec) => spec !== idSpec),
      ...(this.#text ? [this.#text.index.spec] : []),
    ];
  }

  /**
   * All documents in natural order, or those after one. Callers can change documents during the iteration. A document that exists
   * throughout is returned exactly once, with its current content.
   * @throws CommandError QueryPlanKilled if the collection is dropped during the iteration
   */
  *records(after = 0): Generator<StoredRecord | typeof PAUSE> {
    for (let most = FIRST_CHUNK; ; most = Math.min(most * 4, MAX_CHUNK)) {
      const { documents, documentBytes } = this.#counts;
      const size = Math.ceil((CHUNK_BYTES * documents) / Math.max(documentBytes, 1)) || 1;
      const limit = Math.min(size, most);
      this.#checkReadable();
      const found = this.#page.all(after, limit) as unknown as StoredRow[];
      const slice = currentSlice();
      for (const row of found) {
        if (isPauseDue(weightOf(row[1].length))) yield PAUSE;
        // Other commands may have changed the rows.
        if (currentSlice() !== slice) break;
        after = row[0];
        yield this.#record(row);
      }
      if (found.length < limit && currentSlice() === slice) return;
    }
  }

  /** The document with an encoded `_id`. */
  find(id: string): StoredRecord | undefined {
    const cached = this.#database.cachedOrder(this.number, id);
    if (cached !== undefined) return this.get(cached);
    this.#checkReadable();
    const found = this.#orderOf.get(keyBytes(id)) as unknown as [number] | undefined;
    if (!found) return undefined;
    this.#database.cacheOrder(this.number, id, found[0]);
    return this.get(found[0]);
  }

  /** Runs several reads in one transaction. */
  read<T>(run: () => T): T {
    return this.#database.read(run);
  }

  /** @param isKept whether the document is cached */
  get(order: number, isKept = true): StoredRecord | undefined {
    const cached = this.#database.cached(this.number, order);
    if (cached) return cached;
    this.#checkReadable();
    const row = this.#select.get(order) as unknown as StoredRow | undefined;
    if (!row) return undefined;
    const record = this.#record(row);
    if (isKept) this.#database.cache(this.number, record);
    return record;
  }

  document(record: StoredRecord): PlainObject {
    return decodeExact(unpack(record.data));
  }

  /**
   * @param bytes one BSON document; a missing `_id` is added in front
   * @param at position in natural order; default: the last
   * @param isKept whether the document is cached
   * @throws CommandError DuplicateKey, BSONObjectTooLarge …
   */
  insert(bytes: Uint8Array, at?: number, isKept = true): void {
    this.#checkWritable();
    let document: PlainObject = decodeExact(bytes);
    let stored = bytes;
    if (Object.keys(document)[0] !== "_id") {
      document = withId(document);
      stored = encode(document);
    }
    const id = documentId(document);
    checkSize(stored.byteLength);
    const changes = this.#changesOf(undefined, document);
    const { watcher } = this.#database;
    const order = at ?? watcher?.takeOrder() ?? this.#nextOrder;
    if (this.#database.run(this.#insert, order, keyBytes(id), stored, crc32(stored)) === 0)
      throw duplicateKey(this.namespace, this.#idSpec, document);
    const conflict = this.#change(changes, order, document);
    if (conflict) {
      this.#database.run(this.#delete, order);
      throw duplicateKey(this.namespace, conflict.spec, document);
    }
    this.#text?.index.add(document, order);
    if (order === this.#nextOrder) this.#nextOrder++;
    if (isKept) this.#database.cache(this.number, { order, data: pack(stored) });
    this.#count(1, stored.byteLength, 0);
    watcher?.changed(this, id, order, stored);
  }

  /**
   * Replaces `before`, the current document of the record, with `after`.
   * @returns false if both are identical
   */
  replace(record: StoredRecord, before: PlainObject, after: PlainObject): boolean {
    const bytes = encode(after);
    const data = pack(bytes);
    if (data === record.data) {
      this.#database.watcher?.written(this, encodeKey(before["_id"]));
      return false;
    }
    this.#checkWritable();
    checkSize(bytes.byteLength);
    const changes = this.#changesOf(before, after);
    const conflict = this.#change(changes, record.order, after);
    if (conflict) throw duplicateKey(this.namespace, conflict.spec, after);
    this.#database.run(this.#update, bytes, crc32(bytes), record.order);
    this.#text?.index.remove(before, record.order);
    this.#text?.index.add(after, record.order);
    const { watcher, isUndone } = this.#database;
    if (!isUndone) for (const index of this.#building) index.replace(before, after, record.order);
    this.#count(0, data.length - record.data.length, 0);
    // A paused command can hold the record, and must not see changes that will be rolled back.
    const current = isUndone ? { ...record } : record;
    current.data = data;
    this.#database.recache(this.number, current);
    watcher?.changed(this, encodeKey(before["_id"]), record.order, bytes);
    return true;
  }

  remove(record: StoredRecord): void {
    this.#checkWritable();
    const document = this.#indexedPart(record);
    const changes = this.#changesOf(document, undefined);
    this.#database.run(this.#delete, record.order);
    this.#change(changes, record.order);
    this.#text?.index.remove(document, record.order);
    const { watcher, isUndone } = this.#database;
    if (!isUndone) for (const index of this.#building) index.remove(document, record.order);
    const id = encodeKey(document["_id"]);
    this.#database.uncache(this.number, record.order);
    this.#database.uncacheOrder(this.number, id);
    this.#count(-1, -record.data.length, 0);
    watcher?.changed(this, id, record.order, undefined);
  }

  /**
   * Repeats a change that was rolled back.
   * @param data undefined: delete the document
   * @param at position of an inserted document in natural order; default: the last
   */
  repeat(id: string, data: Uint8Array | undefined, at?: number): void {
    const existing = this.find(id);
    if (data === undefined) {
      if (existing) this.remove(existing);
    } else if (existing) this.replace(existing, this.document(existing), decodeExact(data));
    else this.insert(data, at ?? this.#nextOrder);
  }

  /** Stores a document without index entries, for a collection that has no indexes yet. */
  put(id: string, bytes: Uint8Array): void {
    const existing = this.find(id);
    if (!existing) {
      const order = this.#nextOrder++;
      this.#database.run(this.#insert, order, keyBytes(id), bytes, crc32(bytes));
      this.#count(1, bytes.length, 0);
      return;
    }
    this.#database.run(this.#update, bytes, crc32(bytes), existing.order);
    this.#count(0, bytes.length - existing.data.length, 0);
    this.#database.uncache(this.number, existing.order);
  }

  removeId(id: string): void {
    const existing = this.find(id);
    if (existing) this.remove(existing);
  }

  /** @throws CommandError if a document is damaged or the number of documents differs from the stored count */
  verify(): void {
    let count = 0;
    for (const record of this.records()) if (record !== PAUSE) count++;
    if (count !== this.count) {
      throw new CommandError("InternalError", `${this.namespace} has ${count} documents, not ${this.count}`);
    }
  }

  /**
   * Builds an index, which is used once it is complete. Documents can change during pauses: if a change conflicts with the index, the
   * build fails instead of the change.
   * @returns false if the same index exists
   * @throws CommandError IndexOptionsConflict, IndexKeySpecsConflict, DuplicateKey, CannotCreateIndex …
   */
  *createIndex(spec: IndexSpec): Task<boolean> {
    while (this.#isBuilding(spec)) yield PAUSE;
    this.#checkWritable();
    if (this.#hasIndex(spec)) return false;
    if (this.specs.length + this.#building.size >= MAX_INDEXES) {
      throw new CommandError(
        "CannotCreateIndex",
        `Collection ${this.namespace} has ${MAX_INDEXES} indexes already`,
      );
    }
    if (spec.textWeights && this.#text)
      throw new CommandError("CannotCreateIndex", "only one text index per collection is allowed");
    // Negative collection numbers mark unfinished indexes, which `dropUnfinishedIndexes` deletes after a crash.
    const number = this.#insertIndex(-this.number, spec);
    let isBuilt = false;
    try {
      yield* this.#build(number, spec);
      isBuilt = true;
    } finally {
      if (!isBuilt && !this.#isDropped) this.#dropTable(number, spec);
    }
    return true;
  }

  /** Deletes remains of index builds that were interrupted by a crash. */
  static dropUnfinishedIndexes(database: Database): void {
    const unfinished = database.prepare("SELECT number FROM indexes WHERE collection < 0").all();
    if (unfinished.length === 0) return;
    for (const [number] of unfinished as unknown as [number][])
      database.define(`DROP TABLE IF EXISTS t${number}; DROP TABLE IF EXISTS x${number}`);
    database.define("DELETE FROM indexes WHERE collection < 0");
  }

  /** Changes options of an index that don't affect its entries. */
  changeIndex(name: string, spec: IndexSpec): void {
    this.#checkWritable();
    const changed = this.#numbered.find(({ index }) => index.spec.name === name);
    if (!changed) throw new CommandError("IndexNotFound", `index not found with name [${name}]`);
    const update = this.#database.prepare("UPDATE indexes SET definition = ? WHERE number = ?");
    this.#database.run(update, encode(spec.definition), changed.number);
    const others = this.#indexes.filter((index) => index !== changed);
    this.#setIndexes(others);
    const { number, index } = changed;
    this.#add(number, spec, index instanceof OrderedIndex ? index.multikeyBits : 0);
  }

  dropIndex(name: string): void {
    this.#checkWritable();
    for (const index of this.#building) if (index.spec.name === name) return index.abort();
    if (name === ID_INDEX) throw new CommandError("InvalidOptions", "cannot drop _id index");
    const gone = this.#numbered.find(({ index }) => index.spec.name === name);
    if (!gone) throw new CommandError("IndexNotFound", `index not found with name [${name}]`);
    if (gone === this.#text) this.#text = undefined;
    else this.#count(0, 0, -(gone.index as OrderedIndex).bytes());
    this.#setIndexes(this.#indexes.filter((index) => index !== gone));
    gone.index.markDropped();
    this.#dropTable(gone.number, gone.index.spec);
  }

  /** Names of the indexes that are being built. */
  get unfinished(): string[] {
    return Array.from(this.#building, ({ spec }) => spec.name);
  }

  /** Drops the tables. The collection must not be used afterwards; commands that are reading it fail. */
  drop(): void {
    for (const { number, index } of [...this.#numbered, ...this.#building]) {
      index.markDropped();
      this.#dropTable(number, index.spec);
    }
    this.#idIndex.markDropped();
    this.#database.define(`DROP TABLE ${this.#table}`);
    this.#isDropped = true;
  }

  /** Called after the catalog was reloaded with another object for this collection: paused commands with this one can only read. */
  markReplaced(): void {
    this.#isReplaced = true;
  }

  saveCounts(): void {
    if (this.#isDropped || this.#isReplaced) return;
    const { documents, documentBytes, indexBytes } = this.#counts;
    this.#saveCounts ??= this.#database.prepare(
      "UPDATE collections SET documents = ?, documentBytes = ?, indexBytes = ? WHERE number = ?",
    );
    this.#database.run(this.#saveCounts, documents, documentBytes, indexBytes, this.number);
  }

  keepCounts(): () => void {
    const kept = { ...this.#counts };
    return () => Object.assign(this.#counts, kept);
  }

  #checkReadable(): void {
    if (this.#isDropped) throw new CommandError("QueryPlanKilled", `collection dropped: ${this.namespace}`);
  }

  #checkWritable(): void {
    this.#checkReadable();
    if (this.#isReplaced)
      throw new CommandError("QueryPlanKilled", "another write failed and was rolled back");
  }

  /** The `_id` and the fields of the document that index entries depend on. */
  #indexedPart(record: StoredRecord): PlainObject {
    return this.#text || this.#building.size > 0
      ? this.document(record)
      : decodeFields(record.data, this.#indexedFields);
  }

  /** @throws CommandError if the checksum doesn't match */
  #record([order, data, crc]: StoredRow): StoredRecord {
    if (crc32(data) !== crc) {
      throw new CommandError(
        "InternalError",
        `Document ${order} of ${this.namespace} is damaged on disk (wrong checksum). Restore it from a backup.`,
      );
    }
    return { order, data: pack(data) };
  }

  #changesOf(before: PlainObject | undefined, after: PlainObject | undefined): KeyChange[] {
    return this.#ordered.map((index) => index.changeOf(before, after));
  }

  /** @returns the unique index that already has one of the keys; nothing is changed then */
  #change(changes: readonly KeyChange[], order: number, document?: PlainObject): OrderedIndex | undefined {
    for (const [i, { index, number }] of this.#indexes.entries()) {
      if (!index.change(changes[i]!, order, document)) {
        for (const [j, { removed, added }] of changes.slice(0, i).entries())
          this.#ordered[j]!.change({ removed: added, added: removed }, order);
        return index;
      }
      // Saved even if the change is rolled back, because a multikey flag without arrays is harmless.
      const multikey = this.#database.isUndone ? undefined : index.takeNewMultikey();
      if (multikey !== undefined) this.#saveMultikey(number, multikey);
    }
    for (const { removed, added } of changes)
      this.#count(0, 0, OrderedIndex.bytesOf(added) - OrderedIndex.bytesOf(removed));
    return undefined;
  }

  #saveMultikey(number: number, multikey: number): void {
    const update = this.#database.prepare("UPDATE indexes SET multikey = ? WHERE number = ?");
    this.#database.run(update, multikey, number);
  }

  #count(documents: number, documentBytes: number, indexBytes: number): void {
    if (documents === 0 && documentBytes === 0 && indexBytes === 0) return;
    this.#database.count(this);
    this.#counts.documents += documents;
    this.#counts.documentBytes += documentBytes;
    this.#counts.indexBytes += indexBytes;
  }

  #loadIndexes(): void {
    const stored = this.#database
      .prepare("SELECT number, definition, multikey FROM indexes WHERE collection = ? ORDER BY number")
      .all(this.number) as unknown as [number, Uint8Array, number][];
    for (const [number, definition, multikey] of stored)
      this.#add(number, parseIndexSpec(decodePlain(definition)), multikey);
  }

  /** Rebuilds indexes whose keys were created by another version of ICU, without checking uniqueness again. */
  refreshIndexes(): void {
    for (const { number, index } of this.#indexes) {
      const { spec } = index;
      if (!spec.collation) continue;
      const definition = this.#database.prepare("SELECT definition FROM indexes WHERE number = ?");
      const [stored] = definition.get(number) as unknown as [Uint8Array];
      const { collation } = decodePlain(stored);
      if (!isObject(collation) || collation["version"] === COLLATION_VERSION) continue;
      this.#database.define(`DELETE FROM x${number}`);
      for (const record of this.records())
        if (record !== PAUSE) index.change(index.changeOf(undefined, this.document(record)), record.order);
      const update = this.#database.prepare("UPDATE indexes SET definition = ? WHERE number = ?");
      this.#database.run(update, encode(spec.definition), number);
    }
  }

  #add(number: number, spec: IndexSpec, multikey: number): void {
    if (spec.textWeights) this.#text = { number, index: new TextIndex(this.#database, `t${number}`, spec) };
    else this.#setIndexes([...this.#indexes, { number, index: this.#orderedIndex(number, spec, multikey) }]);
  }

  #orderedIndex(number: number, spec: IndexSpec, multikey: number): OrderedIndex {
    const isKeyUnique = hasUniqueKeys(spec);
    return this.#orderedOn({ name: `x${number}`, keyColumn: "key", isKeyUnique }, spec, multikey);
  }

  #orderedOn(table: IndexTable, spec: IndexSpec, multikey = 0): OrderedIndex {
    const documentOf = (order: number) => {
      const record = this.get(order);
      return record && this.document(record);
    };
    return new OrderedIndex(this.#database, table, spec, documentOf, multikey);
  }

  #isBuilding(spec: IndexSpec): boolean {
    for (const { spec: other } of this.#building)
      if (other.name === spec.name || sameKeyPattern(other, spec) || (other.textWeights && spec.textWeights))
        return true;
    return false;
  }

  /** @throws CommandError if another index has this name or this key pattern */
  #hasIndex(spec: IndexSpec): boolean {
    if (spec.name === ID_INDEX || describeKey(spec) === describeKey(ID_SPEC)) {
      if (sameCollation(spec.collation, this.collation)) return true;
      throw new CommandError(
        "BadValue",
        "The _id index must have the same collation as the collection: create the collection with it",
      );
    }
    for (const existing of this.specs) {
      if (existing.name === spec.name) {
        if (sameIndex(existing, spec)) return true;
        throw new CommandError(
          "IndexKeySpecsConflict",
          `An existing index has the same name as the requested index but another key or other options: ${spec.name}`,
        );
      }
      if (sameKeyPattern(existing, spec)) {
        throw new CommandError(
          "IndexOptionsConflict",
          `Index already exists with a different name: ${existing.name}`,
        );
      }
    }
    return false;
  }

  #insertIndex(collection: number, spec: IndexSpec): number {
    const insert = this.#database.prepare("INSERT INTO indexes (collection, definition) VALUES (?, ?)");
    this.#database.run(insert, collection, encode(spec.definition));
    return this.#database.number("SELECT last_insert_rowid()");
  }

  /** Creates and fills the table of an index. */
  *#build(number: number, spec: IndexSpec): Task<void> {
    this.#defineTable(number, spec);
    const index = spec.textWeights
      ? new TextIndex(this.#database, `t${number}`, spec)
      : this.#orderedIndex(number, spec, 0);
    const building = new IndexBuild(number, index, (order, document = this.#documentAt(order)) =>
      duplicateKey(this.namespace, spec, document),
    );
    const needed = index instanceof OrderedIndex ? packNames(index.topLevelFields) : undefined;
    this.#building.add(building);
    try {
      // Documents can be inserted while the entries of the others are written.
      do {
        yield* this.#writeEntries(building);
        for (const record of this.records(building.lastOrder)) {
          if (record === PAUSE) {
            yield PAUSE;
            this.#checkWritable();
            continue;
          }
          const document = needed ? decodeFields(record.data, needed) : this.document(record);
          building.add(document, record.order);
          if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
          this.#checkWritable();
          if (building.isFull) yield* this.#writeEntries(building);
        }
      } while (building.hasPending);
      building.check();
    } finally {
      this.#building.delete(building);
    }
    const finish = this.#database.prepare("UPDATE indexes SET collection = ? WHERE number = ?");
    this.#database.run(finish, this.number, number);
    if (!(index instanceof OrderedIndex)) {
      this.#text = { number, index };
      return;
    }
    const multikey = index.takeNewMultikey();
    if (multikey !== undefined) this.#saveMultikey(number, multikey);
    this.#count(0, 0, building.bytes);
    this.#setIndexes([...this.#indexes, { number, index }]);
  }

  *#writeEntries(building: IndexBuild): Task<void> {
    for (const pause of building.write()) {
      yield pause;
      this.#checkWritable();
    }
  }

  #documentAt(order: number): PlainObject {
    const record = this.get(order, false);
    return record ? this.document(record) : {};
  }

  #defineTable(number: number, spec: IndexSpec): void {
    const primaryKey = hasUniqueKeys(spec) ? "key" : "key, ord";
    this.#database.define(
      spec.textWeights
        ? `CREATE TABLE t${number} (word TEXT NOT NULL, ord INTEGER NOT NULL, score REAL NOT NULL, PRIMARY KEY (word, ord)) WITHOUT ROWID`
        : `CREATE TABLE x${number} (key BLOB NOT NULL, ord INTEGER NOT NULL, PRIMARY KEY (${primaryKey})) WITHOUT ROWID`,
    );
  }

  #dropTable(number: number, spec: IndexSpec): void {
    this.#database.define(`DROP TABLE IF EXISTS ${spec.textWeights ? "t" : "x"}${number}`);
    this.#database.run(this.#database.prepare("DELETE FROM indexes WHERE number = ?"), number);
  }

  #setIndexes(indexes: readonly Numbered<OrderedIndex>[]): void {
    this.#indexes = indexes;
    this.#ordered = indexes.map(({ index }) => index);
    this.#indexedFields = packNames(["_id", ...this.#ordered.flatMap((index) => index.topLevelFields)]);
  }
}

/** With a collation, different strings can have the same key, so the index compares documents. */
const hasUniqueKeys = ({ unique, collation }: IndexSpec): boolean => unique && !collation;

/** The document with its `_id`, or a new one, in front. */
export function withId(document: PlainObject): PlainObject {
  const { _id = new ObjectId(), ...rest } = document;
  return { _id, ...rest };
}

type StoredRow = [order: number, data: Uint8Array, crc: number];

/** The encoded `_id`. */
function documentId(document: PlainObject): string {
  const { _id } = document;
  const rank = rankOf(_id);
  if (rank === Rank.Array || rank === Rank.RegExp || rank === Rank.Undefined) {
    throw new CommandError("InvalidIdField", "The '_id' value cannot be an array, a regex or undefined");
  }
  const dollar = isObject(_id) ? Object.keys(_id).find(isOperatorName) : undefined;
  if (dollar !== undefined) {
    throw new CommandError(
      "DollarPrefixedFieldName",
      `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
    );
  }
  return encodeKey(_id);
}

function checkSize(bytes: number): void {
  if (bytes > MAX_DOCUMENT_BYTES) {
    throw new CommandError(
      "BSONObjectTooLarge",
      `BSONObj size: ${bytes} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}(16MB)`,
    );
  }
}
