import { ObjectId, UUID } from "bson";
import { CommandError } from "../errors.ts";
import { OrderedIndex } from "../index/ordered-index.ts";
import { type IndexSpec, parseIndexSpec, sameIndex, sameKeyPattern } from "../index/spec.ts";
import { TextIndex } from "../index/text-index.ts";
import { describeKey, duplicateKey } from "./duplicate-key.ts";
import { decodeExact, encode, pack, type PackedDocument, unpack } from "../values/codec.ts";
import { decodeFields, packNames } from "../values/extract.ts";
import { encodeKey } from "../values/key.ts";
import { Rank, rankOf, type PlainObject } from "../values/types.ts";
import type { ChangeLog } from "./change-log.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import type { StoredRecord } from "./record.ts";

/** MongoDB's bound on one document, in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const MAX_INDEXES = 64;

/** A record, its map entry and two string headers. */
const RECORD_OVERHEAD_BYTES = 150;

const ID_SPEC: IndexSpec = parseIndexSpec({ key: { _id: 1 }, name: "_id_", unique: true });

const recordBytes = (record: StoredRecord): number =>
  record.data.length + record.id.length + RECORD_OVERHEAD_BYTES;

export interface CollectionContext {
  readonly log: ChangeLog;
  readonly budget: MemoryBudget;
}

/** Documents in natural order, their indexes, and the rules that keep both in step. Every change is all or nothing. */
export class Collection {
  readonly number: number;
  readonly uuid = new UUID();
  db: string;
  name: string;
  readonly #context: CollectionContext;
  readonly #records = new Map<string, StoredRecord>();
  #indexes: OrderedIndex[] = [];
  #text: TextIndex | undefined;
  #idIndex: OrderedIndex | undefined;
  #indexedFields = packNames([]);
  #nextOrder = 1;
  #documentBytes = 0;

  constructor(number: number, db: string, name: string, context: CollectionContext) {
    this.number = number;
    this.db = db;
    this.name = name;
    this.#context = context;
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  get count(): number {
    return this.#records.size;
  }

  /** Total size of the documents as BSON, in bytes. */
  get documentBytes(): number {
    return this.#documentBytes;
  }

  get indexBytes(): number {
    return this.#allIndexes().reduce((sum, index) => sum + index.bytes, this.#text?.bytes ?? 0);
  }

  get indexes(): readonly OrderedIndex[] {
    return this.#indexes;
  }

  get textIndex(): TextIndex | undefined {
    return this.#text;
  }

  get specs(): readonly IndexSpec[] {
    return [ID_SPEC, ...this.#indexes.map(({ spec }) => spec), ...(this.#text ? [this.#text.spec] : [])];
  }

  records(): IterableIterator<StoredRecord> {
    return this.#records.values();
  }

  get(id: string): StoredRecord | undefined {
    return this.#records.get(id);
  }

  document(record: StoredRecord): PlainObject {
    return decodeExact(unpack(record.data));
  }

  /** As much of the document as its index entries depend on. */
  #indexedPart(record: StoredRecord): PlainObject {
    return this.#text ? this.document(record) : decodeFields(record.data, this.#indexedFields);
  }

  /** The index over `_id` in order. Built when a query first needs the order; lookups of one `_id` never do. */
  idIndex(): OrderedIndex {
    if (!this.#idIndex) {
      const index = new OrderedIndex(ID_SPEC);
      for (const record of this.#records.values()) index.add([record.id], record);
      this.#context.budget.add(index.bytes);
      this.#idIndex = index;
    }
    return this.#idIndex;
  }

  /**
   * @param bytes one BSON document
   * @returns the stored record; a missing `_id` was added in front
   * @throws CommandError DuplicateKey, BSONObjectTooLarge, OutOfDiskSpace …
   */
  insert(bytes: Uint8Array): StoredRecord {
    let document: PlainObject = decodeExact(bytes);
    let stored = bytes;
    if (Object.keys(document)[0] !== "_id") {
      const { _id = new ObjectId(), ...rest } = document;
      document = { _id, ...rest };
      stored = encode(document);
    }
    const id = documentId(document);
    checkSize(stored.byteLength);
    const existing = this.#records.get(id);
    if (existing) throw duplicateKey(this.namespace, ID_SPEC, document);
    const record: StoredRecord = { id, order: this.#nextOrder, data: pack(stored) };
    const keys = this.#checkedKeys(document, undefined);
    this.#context.budget.ensure(recordBytes(record));
    this.#nextOrder++;
    this.#records.set(id, record);
    this.#documentBytes += record.data.length;
    this.#measured(recordBytes(record), () => {
      for (const [i, index] of this.#indexes.entries()) index.add(keys[i]!, record);
      this.#idIndex?.add([id], record);
      this.#text?.add(document, record);
    });
    this.#context.log.put(this.number, record.data);
    return record;
  }

  /**
   * Stores `after` in place of `before`, the present document of the record.
   * @returns false when the two are the same to the last byte
   */
  replace(record: StoredRecord, before: PlainObject, after: PlainObject): boolean {
    const bytes = encode(after);
    const data = pack(bytes);
    if (data === record.data) return false;
    checkSize(bytes.byteLength);
    const growth = bytes.byteLength - record.data.length;
    const oldKeys = this.#indexes.map((index) => index.keysOf(before));
    const newKeys = this.#checkedKeys(after, record);
    this.#context.budget.ensure(growth);
    this.#measured(growth, () => {
      for (const [i, index] of this.#indexes.entries()) index.change(oldKeys[i]!, newKeys[i]!, record);
      this.#text?.remove(before, record);
      this.#text?.add(after, record);
    });
    this.#documentBytes += growth;
    record.data = data;
    this.#context.log.put(this.number, data);
    return true;
  }

  remove(record: StoredRecord): void {
    const document = this.#indexedPart(record);
    this.#records.delete(record.id);
    this.#documentBytes -= record.data.length;
    this.#measured(-recordBytes(record), () => {
      for (const index of this.#indexes) index.remove(index.keysOf(document), record);
      this.#idIndex?.remove([record.id], record);
      this.#text?.remove(document, record);
    });
    this.#context.log.remove(this.number, record.id);
  }

  /**
   * @returns false when the very same index exists
   * @throws CommandError IndexOptionsConflict, IndexKeySpecsConflict, DuplicateKey, CannotCreateIndex …
   */
  createIndex(spec: IndexSpec): boolean {
    if (spec.name === "_id_" || describeKey(spec) === describeKey(ID_SPEC)) return false;
    for (const existing of this.specs) {
      if (existing.name === spec.name) {
        if (sameIndex(existing, spec)) return false;
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
    if (this.specs.length >= MAX_INDEXES) {
      throw new CommandError(
        "CannotCreateIndex",
        `Collection ${this.namespace} has ${MAX_INDEXES} indexes already`,
      );
    }
    this.#build([spec]);
    this.#context.log.catalogChange({
      type: "createIndex",
      collection: this.number,
      definition: spec.definition,
    });
    return true;
  }

  dropIndex(name: string): void {
    const gone =
      this.#indexes.find(({ spec }) => spec.name === name) ??
      (this.#text?.spec.name === name ? this.#text : undefined);
    if (!gone) throw new CommandError("IndexNotFound", `index not found with name [${name}]`);
    this.#context.budget.add(-gone.bytes);
    if (gone === this.#text) this.#text = undefined;
    this.#setIndexes(this.#indexes.filter((index) => index !== gone));
    this.#context.log.catalogChange({ type: "dropIndex", collection: this.number, name });
  }

  /** Gives the memory of a dropped collection back to the budget. */
  release(): void {
    let bytes = this.indexBytes;
    for (const record of this.#records.values()) bytes += recordBytes(record);
    this.#context.budget.add(-bytes);
  }

  /** Recovery only: stores without indexes, checks or journal. */
  restorePut(id: string, data: PackedDocument): void {
    const existing = this.#records.get(id);
    if (existing) {
      this.#documentBytes += data.length - existing.data.length;
      this.#context.budget.add(data.length - existing.data.length);
      existing.data = data;
      return;
    }
    const record: StoredRecord = { id, order: this.#nextOrder++, data };
    this.#records.set(id, record);
    this.#documentBytes += data.length;
    this.#context.budget.add(recordBytes(record));
  }

  restoreRemove(id: string): void {
    const record = this.#records.get(id);
    if (!record) return;
    this.#records.delete(id);
    this.#documentBytes -= record.data.length;
    this.#context.budget.add(-recordBytes(record));
  }

  /** Recovery only: builds indexes without journal. */
  restoreIndexes(specs: readonly IndexSpec[]): void {
    this.#build(specs);
  }

  /** Reads every document once, however many indexes there are; all of them are built, or none. */
  #build(specs: readonly IndexSpec[]): void {
    const ordered = specs.filter((spec) => !spec.textWeights).map((spec) => new OrderedIndex(spec));
    const texts = specs.filter((spec) => spec.textWeights).map((spec) => new TextIndex(spec));
    if (texts.length + (this.#text ? 1 : 0) > 1) {
      throw new CommandError("CannotCreateIndex", "only one text index per collection is allowed");
    }
    const needed = packNames(ordered.flatMap((index) => index.topLevelFields));
    for (const record of this.#records.values()) {
      const document = texts.length > 0 ? this.document(record) : decodeFields(record.data, needed);
      for (const index of ordered) {
        const keys = index.keysOf(document);
        if (index.conflict(keys, record)) throw duplicateKey(this.namespace, index.spec, document);
        index.add(keys, record);
      }
      for (const text of texts) text.add(document, record);
    }
    for (const index of [...ordered, ...texts]) this.#context.budget.add(index.bytes);
    this.#text = texts[0] ?? this.#text;
    this.#setIndexes([...this.#indexes, ...ordered]);
  }

  #setIndexes(indexes: OrderedIndex[]): void {
    this.#indexes = indexes;
    this.#indexedFields = packNames(indexes.flatMap((index) => index.topLevelFields));
  }

  #checkedKeys(document: PlainObject, own: StoredRecord | undefined): string[][] {
    return this.#indexes.map((index) => {
      const keys = index.keysOf(document);
      if (index.conflict(keys, own)) throw duplicateKey(this.namespace, index.spec, document);
      return keys;
    });
  }

  #allIndexes(): OrderedIndex[] {
    return this.#idIndex ? [...this.#indexes, this.#idIndex] : this.#indexes;
  }

  #measured(recordGrowth: number, change: () => void): void {
    const before = this.indexBytes;
    change();
    this.#context.budget.add(recordGrowth + this.indexBytes - before);
  }
}

/** The encoded `_id`. */
function documentId(document: PlainObject): string {
  const { _id } = document;
  const rank = rankOf(_id);
  if (rank === Rank.Array || rank === Rank.RegExp || rank === Rank.Undefined) {
    throw new CommandError("InvalidIdField", "The '_id' value cannot be an array, a regex or undefined");
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
