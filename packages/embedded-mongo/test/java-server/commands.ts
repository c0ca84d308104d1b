import type { PlainObject } from "../../src/values/types.ts";
import type { Random } from "../random.ts";

const IDS = 40;
const UNIQUE_VALUES = 60;
/** Fields that never hold an array. */
const PLAIN_FIELDS = ["b", "o.x", "o.y", "_id"];
const FIELDS = [...PLAIN_FIELDS, "a", "l", "list.k", "list.v", "o"];
const SORT_FIELDS = ["b", "o.x", "o.y", "n"];

/**
 * Random commands for which mongo-java-server 1.47.0 behaves as MongoDB's documentation says. Excluded, because it deviates:
 * - `$bit`: not supported.
 * - `$gte` and `$lte` with null: MongoDB matches everything that equals null.
 * - `$not`, `$exists: false` and null on a path through an array of documents: MongoDB matches only if no element matches the inner
 *   condition; mongo-java-server tests one element, or none of an empty array.
 * - two bounds on an array: in MongoDB different elements can satisfy them; mongo-java-server requires one to satisfy both.
 * - equality with a document that contains null: MongoDB compares whole documents; mongo-java-server treats a missing field as null.
 * - `$all` on a value that isn't an array: MongoDB defines it as the `$and` of the equalities.
 * - `$regex` on a document: MongoDB only matches strings; mongo-java-server matches the document as text.
 * - a sort by an empty array of documents, two empty arrays, or nested arrays: MongoDB sorts by the lowest or highest element in its
 *   order of types, then by the next field.
 * - a replacement of several fields: MongoDB stores the new field order; mongo-java-server keeps the previous one.
 * - `$inc` of null: MongoDB rejects it; mongo-java-server treats null as 0.
 * - `$mul` or `$inc` that only changes a number's type: MongoDB counts it as modified.
 * - `$push` to null: MongoDB rejects it; mongo-java-server treats null as an empty array.
 * - a projection that includes several fields: MongoDB returns them in the order of the document; mongo-java-server in that of the
 *   projection.
 * - an upsert with `$all` in the filter: MongoDB also sets these equalities.
 * Other differences are handled in answer.ts.
 */
export class Commands {
  readonly #random: Random;
  readonly #collection: string;

  constructor(random: Random, collection: string) {
    this.#random = random;
    this.#collection = collection;
  }

  next(): PlainObject {
    const { int } = this.#random;
    const kind = int(11);
    if (kind < 1) return this.insert();
    if (kind < 3) return this.#update();
    if (kind < 4) return this.#delete();
    if (kind < 5) return this.#findAndModify();
    if (kind < 9) return this.#find();
    if (kind < 10) return { count: this.#collection, query: this.#filter() };
    const key = this.#random.pick(["a", "b", "l", "o.x"]);
    return { distinct: this.#collection, key, query: this.#filter() };
  }

  insert(): PlainObject {
    const { int, chance } = this.#random;
    const documents = Array.from({ length: 1 + int(3) }, () => ({ _id: this.#id(), ...this.#fields() }));
    return { insert: this.#collection, documents, ordered: chance(0.5) };
  }

  #update(): PlainObject {
    const { chance } = this.#random;
    const kind = this.#random.int(10);
    const _id = this.#id();
    const one = { u: this.#one(), multi: false };
    if (kind < 3) return this.#statement({ q: this.#filter(), u: this.#many(), multi: true });
    if (kind < 4) return this.#statement({ q: { _id }, ...one, upsert: true });
    return this.#statement({ q: { ...(chance(0.3) && this.#filter()), _id }, ...one });
  }

  #statement(update: PlainObject): PlainObject {
    return { update: this.#collection, updates: [update] };
  }

  #delete(): PlainObject {
    const few = { ...this.#filter(), _id: { $lt: IDS / 10 } };
    const statement = this.#random.chance(0.3) ? { q: few, limit: 0 } : { q: { _id: this.#id() }, limit: 1 };
    return { delete: this.#collection, deletes: [statement] };
  }

  #findAndModify(): PlainObject {
    const { chance } = this.#random;
    const command = { findAndModify: this.#collection, query: this.#filter(), sort: this.#sort() };
    if (chance(0.1)) return { ...command, remove: true };
    return { ...command, update: this.#operators(), new: chance(0.5) };
  }

  #find(): PlainObject {
    const { int, chance, pick } = this.#random;
    const projections = [
      { a: 1 },
      { _id: 0, b: 1 },
      { a: 0, list: 0 },
      { "o.x": 1 },
      { "list.k": 1 },
      { o: 0, _id: 0 },
    ];
    const array = pick(["a", "l"]);
    return {
      find: this.#collection,
      ...(chance(0.2)
        ? {
            filter: { ...this.#filter(), [array]: { $ne: [] } },
            sort: { [array]: pick([1, -1]), ...this.#sort() },
          }
        : { filter: this.#filter(), sort: this.#sort() }),
      ...(chance(0.3) && { projection: pick(projections) }),
      ...(chance(0.3) && { skip: int(5), limit: int(10) }),
      batchSize: 1_000,
    };
  }

  #id = (): number => this.#random.int(IDS);

  #scalar = (): unknown => this.#value() ?? null;

  #value(): string | number | boolean | Date | undefined {
    const { int, pick } = this.#random;
    return pick([
      () => int(4),
      () => int(6) + 0.5,
      () => pick(["", "a", "ab", "b", "é", "Z"]),
      () => undefined,
      () => int(2) === 1,
      () => new Date(int(4) * 1000),
    ])();
  }

  #bound = (): unknown => this.#value() ?? 1;

  #scalars = (below: number): unknown[] => Array.from({ length: this.#random.int(below) }, this.#scalar);

  #anything(): unknown {
    const { pick } = this.#random;
    return pick([this.#scalar, this.#scalar, () => this.#scalars(3), () => ({ x: this.#scalar() })])();
  }

  #fields(): PlainObject {
    const { chance, int } = this.#random;
    return {
      ...(chance(0.9) && { a: this.#anything() }),
      ...(chance(0.7) && { b: this.#scalar() }),
      ...(chance(0.5) && { l: this.#scalars(4) }),
      ...(chance(0.5) && { o: { x: this.#scalar(), ...(chance(0.5) && { y: this.#scalar() }) } }),
      ...(chance(0.5) && {
        list: Array.from({ length: int(3) }, () => ({ k: int(4), v: this.#scalar() })),
      }),
      ...(chance(0.5) && { n: int(5) }),
      ...(chance(0.3) && { u: int(UNIQUE_VALUES) }),
    };
  }

  #condition(): unknown {
    const { int, pick } = this.#random;
    return pick([
      () => this.#bound(),
      () => int(4),
      () => ({ [pick(["$gt", "$gte", "$lt", "$lte"])]: this.#bound() }),
      () => ({ $in: Array.from({ length: int(4) }, this.#bound) }),
      () => ({ $ne: this.#bound() }),
      () => ({ $nin: [this.#bound(), this.#bound()] }),
      () => ({ $exists: true }),
      () => ({ $type: pick(["number", "string", "null", "array", "date", "bool", "object"]) }),
      () => ({ $mod: [2, int(2)] }),
    ])();
  }

  #conditionOffPaths(): unknown {
    const { int, pick } = this.#random;
    return pick([
      () => null,
      () => ({ $in: [null, int(4)] }),
      () => ({ $ne: null }),
      () => ({ $exists: false }),
      () => ({ $not: { $gt: this.#bound() } }),
      () => ({ $not: { $in: [this.#bound()] } }),
    ])();
  }

  #conditionOnPlain(): unknown {
    const { pick } = this.#random;
    return pick([
      () => this.#conditionOffPaths(),
      () => ({ $regex: pick(["^a", "b", "^$"]) }),
      () => ({ $gte: this.#bound(), $lt: this.#bound() }),
    ])();
  }

  #conditionOnArray(): unknown {
    const { int, pick } = this.#random;
    return pick([
      () => this.#scalars(3),
      () => ({ $size: int(4) }),
      () => ({ $all: [this.#bound(), this.#bound()] }),
      () => ({ $elemMatch: { $gt: this.#bound() } }),
      () => ({ $elemMatch: { $gte: this.#bound(), $lt: this.#bound() } }),
    ])();
  }

  #clause(): PlainObject {
    const { int, pick, chance } = this.#random;
    const field = pick(FIELDS);
    if (chance(0.5)) return { [field]: this.#condition() };
    if (PLAIN_FIELDS.includes(field)) return { [field]: this.#conditionOnPlain() };
    if (field === "a") return { a: this.#conditionOffPaths() };
    if (field === "l") return { l: this.#conditionOnArray() };
    if (field === "o") return { o: { x: this.#bound() } };
    return { list: { $elemMatch: { k: int(4), v: this.#bound() } } };
  }

  #filter(depth = 0): PlainObject {
    const { int, pick, chance } = this.#random;
    const clauses = Array.from({ length: int(3) + depth }, () => this.#clause());
    const filter: PlainObject = Object.assign({}, ...clauses);
    if (depth === 0 && chance(0.25))
      filter[pick(["$or", "$and", "$nor"])] = [this.#filter(1), this.#filter(1)];
    return filter;
  }

  #sort(): PlainObject {
    const { int, pick } = this.#random;
    const fields = Array.from({ length: int(3) }, () => pick(SORT_FIELDS));
    return Object.fromEntries([...fields, "_id"].map((field) => [field, pick([1, -1])]));
  }

  /** An update that no document rejects, because it is undocumented which documents are updated before a rejection. */
  #many(): PlainObject {
    const { pick } = this.#random;
    return pick([
      () => ({ $set: { b: this.#scalar() } }),
      () => ({ $unset: { b: "" } }),
      () => ({ $inc: { n: 1 } }),
      () => ({ $max: { b: this.#scalar() } }),
    ])();
  }

  #one(): PlainObject {
    return this.#random.chance(0.15) ? { n: this.#random.int(5) } : this.#operators();
  }

  #operators(): PlainObject {
    const { int, pick, chance } = this.#random;
    const two = () => [this.#scalar(), this.#scalar()];
    return pick<() => PlainObject>([
      () => ({ $set: { [pick(["b", "o.x", "l.1", "list.0.k"])]: this.#scalar() } }),
      () => ({ $set: { [pick(["a", "o.z", "p.q"])]: this.#anything() } }),
      () => ({ $set: { u: int(UNIQUE_VALUES) } }),
      () => ({ $set: { a: this.#scalar() }, $inc: { n: 1 }, ...(chance(0.5) && { $setOnInsert: { c: 1 } }) }),
      () => ({ $unset: { [pick(["a", "b", "l", "o", "o.x", "list.0.v", "l.0"])]: "" } }),
      () => ({ $inc: { [pick(["n", "u"])]: pick([1 + int(4), 0.5]) } }),
      () => ({ $mul: { n: pick([2, 3]) } }),
      () => ({ [pick(["$max", "$min"])]: { [pick(["b", "a"])]: this.#scalar() } }),
      () => ({ $rename: { [pick(["b", "l", "n"])]: pick(["c", "d"]) } }),
      () => ({ $push: { [pick(["l", "m"])]: this.#scalar() } }),
      () => ({ $push: { l: { $each: two() } } }),
      () => ({ $push: { m: { $each: two(), $slice: pick([-2, 3]) } } }),
      () => ({ $push: { m: { $each: [this.#scalar()], $position: int(3) } } }),
      () => ({ $push: { m: { $each: [this.#scalar()], $sort: pick([1, -1]) } } }),
      () => ({ $addToSet: { m: this.#anything() } }),
      () => ({ $addToSet: { l: { $each: two() } } }),
      () => ({ $pull: { [pick(["l", "m"])]: pick([this.#scalar(), { $gt: this.#bound() }]) } }),
      () => ({ $pull: { list: { k: int(4) } } }),
      () => ({ $pullAll: { l: two() } }),
      () => ({ $pop: { [pick(["l", "m"])]: pick([1, -1]) } }),
    ])();
  }
}
