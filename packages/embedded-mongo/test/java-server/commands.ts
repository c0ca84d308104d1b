import type { PlainObject } from "../../src/values/types.ts";
import type { Random } from "../random.ts";

const IDS = 40;
const UNIQUE_VALUES = 60;
/** Fields that never hold an array. */
const PLAIN_FIELDS = ["b", "o.x", "o.y", "_id"];
const FIELDS = [...PLAIN_FIELDS, "a", "l", "list.k", "list.v", "o"];
const SORT_FIELDS = ["b", "o.x", "o.y", "n"];

/**
 * Random commands that mongo-java-server 1.47.0 answers as MongoDB documents it. It deviates, so they have none of these:
 * - `$bit`: it has no such operator. MongoDB documents it.
 * - `$gte` and `$lte` with null: MongoDB lets them match where equality with null does.
 * - `$not`, `$exists: false` and null on a path through an array of documents: MongoDB matches only where no element matches
 *   the condition itself; it looks at one element, and at none of an empty array.
 * - two bounds on an array: MongoDB lets different elements satisfy them, it wants one to satisfy both.
 * - equality with a document that holds a null: MongoDB compares whole documents, it takes a missing field for null.
 * - `$all` on a value that is no array: MongoDB documents it as the `$and` of the equalities.
 * - `$regex` on a document: MongoDB matches strings only, it matches the document written as text.
 * - a sort through an array of documents that is empty, by two empty arrays, or by arrays that hold arrays: MongoDB sorts by
 *   the least or greatest element in its order of types, and by the next field where those are equal.
 * - a replacement of several fields: MongoDB stores them in their order, it keeps the order they had before.
 * - `$inc` of null: MongoDB refuses it, it takes null for 0.
 * - a number that `$mul` or `$inc` changes in its type alone: MongoDB counts it as modified.
 * - `$push` to null: MongoDB refuses it, it takes null for an empty array.
 * - a projection that includes several fields: MongoDB gives them in their order in the document, it in that of the projection.
 * - an upsert whose filter has `$all`: MongoDB takes equalities of the filter over, also those.
 * What its answers need besides is in answer.ts.
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

  /** A value that is not null. */
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

  /** An update that no document refuses: which ones are done before a refusal is not documented. */
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
