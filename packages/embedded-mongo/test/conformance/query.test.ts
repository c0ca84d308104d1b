import { Binary, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from "bson";
import type { Collection, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

const id1 = new ObjectId("000000000000000000000001");
const day = (n: number) => new Date(Date.UTC(2026, 0, n));

/** The _id of a document is its position, and the cases expect positions. */
const documents: Document[] = [
  { n: new Int32(1), s: "apple", tags: ["a", "b"], o: { x: 1, y: 2 }, d: day(1), b: true },
  { n: new Int32(2), s: "Banana", tags: ["b"], o: { x: 1 }, d: day(2), b: false },
  { n: new Double(2.5), s: "cherry", tags: [], o: { x: 2, y: null }, d: day(3) },
  {
    n: Long.fromNumber(3),
    s: null,
    tags: null,
    list: [
      { k: 1, v: 1 },
      { k: 2, v: 2 },
    ],
  },
  {
    n: Decimal128.fromString("4.5"),
    tags: "b",
    list: [
      { k: 1, v: 2 },
      { k: 2, v: 1 },
    ],
  },
  { n: "5", s: "élan", tags: [["a", "b"]], list: [{ k: 3 }] },
  { n: null, s: "a.b", list: [] },
  { s: "line\nbreak", list: [4, 5] },
  { n: [1, 5], s: ["apple", "pear"], ref: id1, bin: new Binary(Buffer.from([1, 2, 3])) },
  { n: new Double(Number.NaN), min: new MinKey(), max: new MaxKey(), ts: new Timestamp({ t: 1, i: 2 }) },
].map((document, _id) => ({ _id: new Int32(_id), ...document }));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const cases: [name: string, filter: Document, expected: number[]][] = [
  ["everything", {}, range(0, 9)],
  ["equal int matches every number type", { n: 2 }, [1]],
  ["equal long", { n: 3 }, [3]],
  ["equal decimal", { n: 4.5 }, [4]],
  ["equal int as double", { n: new Double(1) }, [0, 8]],
  ["equal through an array", { n: 5 }, [8]],
  ["equal whole array", { n: [1, 5] }, [8]],
  ["equal array in another order", { n: [5, 1] }, []],
  ["equal string is not number", { n: "5" }, [5]],
  ["equal null matches missing", { n: null }, [6, 7]],
  ["equal NaN", { n: Number.NaN }, [9]],
  ["equal boolean", { b: true }, [0]],
  ["equal date", { d: day(2) }, [1]],
  ["equal ObjectId", { ref: id1 }, [8]],
  ["equal binary", { bin: new Binary(Buffer.from([1, 2, 3])) }, [8]],
  ["equal sub-document needs all fields", { o: { x: 1 } }, [1]],
  ["equal sub-document needs the order", { o: { y: 2, x: 1 } }, []],
  ["equal sub-document in order", { o: { x: 1, y: 2 } }, [0]],
  ["equal empty array", { tags: [] }, [2]],
  ["equal nested array", { tags: ["a", "b"] }, [0, 5]],
  ["$eq", { n: { $eq: 2 } }, [1]],
  ["$eq null", { tags: { $eq: null } }, [3, 6, 7, 8, 9]],
  ["$ne", { b: { $ne: true } }, range(1, 9)],
  ["$ne null", { s: { $ne: null } }, [0, 1, 2, 5, 6, 7, 8]],
  ["$ne through an array", { tags: { $ne: "b" } }, [2, 3, 5, 6, 7, 8, 9]],
  ["$gt", { n: { $gt: 2 } }, [2, 3, 4, 8]],
  ["$gte", { n: { $gte: 2 } }, [1, 2, 3, 4, 8]],
  ["$lt does not match NaN, null or strings", { n: { $lt: 2 } }, [0, 8]],
  ["$lte", { n: { $lte: 2 } }, [0, 1, 8]],
  ["$gte null matches missing", { n: { $gte: null } }, [6, 7]],
  ["$gt null matches nothing", { n: { $gt: null } }, []],
  ["$gte NaN", { n: { $gte: Number.NaN } }, [9]],
  ["$lt NaN", { n: { $lt: Number.NaN } }, []],
  ["range on different array elements", { n: { $gt: 3, $lt: 2 } }, [8]],
  ["$gt string", { s: { $gt: "b" } }, [2, 5, 7, 8]],
  ["$gt date", { d: { $gt: day(1), $lte: day(3) } }, [1, 2]],
  ["$gt boolean", { b: { $gt: false } }, [0]],
  ["$gte ObjectId", { ref: { $gte: id1 } }, [8]],
  ["$lt MaxKey on a field", { ref: { $lt: new MaxKey(), $exists: true } }, [8]],
  ["$in", { n: { $in: [1, 2] } }, [0, 1, 8]],
  ["$in with null", { n: { $in: [null, 3] } }, [3, 6, 7]],
  ["$in with regex", { s: { $in: [/^a/, "cherry"] } }, [0, 2, 6, 8]],
  ["$in empty", { n: { $in: [] } }, []],
  ["$nin", { n: { $nin: [1, 2, null] } }, [2, 3, 4, 5, 9]],
  ["$in with array", { tags: { $in: [["a", "b"]] } }, [0, 5]],
  ["$exists true", { n: { $exists: true } }, [0, 1, 2, 3, 4, 5, 6, 8, 9]],
  ["$exists false", { n: { $exists: false } }, [7]],
  ["$exists 1", { b: { $exists: 1 } }, [0, 1]],
  ["$exists nested", { "o.y": { $exists: true } }, [0, 2]],
  ["$exists false below an array without it", { "list.k": { $exists: false } }, [0, 1, 2, 6, 7, 8, 9]],
  ["null below arrays", { "list.v": null }, [0, 1, 2, 5, 8, 9]],
  ["$type string", { n: { $type: "string" } }, [5]],
  ["$type number", { n: { $type: "number" } }, [0, 1, 2, 3, 4, 8, 9]],
  ["$type double", { n: { $type: "double" } }, [2, 9]],
  ["$type int by number", { n: { $type: 16 } }, [0, 1, 8]],
  ["$type long", { n: { $type: "long" } }, [3]],
  ["$type decimal", { n: { $type: "decimal" } }, [4]],
  ["$type null", { n: { $type: "null" } }, [6]],
  ["$type array", { n: { $type: "array" } }, [8]],
  ["$type array of arrays", { tags: { $type: "array" } }, [0, 1, 2, 5]],
  ["$type list of types", { s: { $type: ["null", "array"] } }, [3, 8]],
  ["$type objectId", { ref: { $type: "objectId" } }, [8]],
  ["$type date", { d: { $type: 9 } }, [0, 1, 2]],
  ["$type binData", { bin: { $type: "binData" } }, [8]],
  ["$type timestamp", { ts: { $type: "timestamp" } }, [9]],
  ["$type minKey", { min: { $type: "minKey" } }, [9]],
  ["$mod", { n: { $mod: [2, 1] } }, [0, 3, 8]],
  ["$not", { n: { $not: { $gt: 2 } } }, [0, 1, 5, 6, 7, 9]],
  ["$not regex", { s: { $not: /^[a-z]/ } }, [1, 3, 4, 5, 9]],
  ["$and", { $and: [{ n: 1 }, { b: true }] }, [0]],
  ["$or", { $or: [{ n: 1 }, { s: "cherry" }] }, [0, 2, 8]],
  ["$or with other fields", { b: { $exists: true }, $or: [{ n: 1 }, { n: 3 }] }, [0]],
  ["$nor", { $nor: [{ n: { $exists: true } }, { s: "apple" }] }, [7]],
  ["nested logic", { $or: [{ $and: [{ n: 1 }, { b: true }] }, { $nor: [{ _id: { $ne: 7 } }] }] }, [0, 7]],
  ["regex literal", { s: /an/ }, [1, 5]],
  ["regex anchored", { s: /^a/ }, [0, 6, 8]],
  ["regex i", { s: /^b/i }, [1]],
  ["regex m", { s: /^break/m }, [7]],
  ["regex s", { s: { $regex: "line.break", $options: "s" } }, [7]],
  ["regex without s", { s: /line.break/ }, []],
  ["regex x", { s: { $regex: "a p p l e # comment", $options: "x" } }, [0, 8]],
  ["$regex string and options", { s: { $regex: "^BAN", $options: "i" } }, [1]],
  ["$regex with $ne beside", { s: { $regex: "a", $ne: "apple" } }, [1, 5, 6, 7]],
  ["regex escaped dot", { s: /a\.b/ }, [6]],
  ["regex prefix range", { s: /^che/ }, [2]],
  ["regex \\A", { s: { $regex: "\\Aa", $options: "m" } }, [0, 6, 8]],
  ["regex \\z", { s: { $regex: "e\\z", $options: "m" } }, [0, 8]],
  ["regex [:upper:]", { s: { $regex: "^[x[:upper:]]" } }, [1]],
  ["regex \\Q…\\E", { s: { $regex: "^\\Qa.b\\E$" } }, [6]],
  ["regex (?P<name>…)", { s: { $regex: "(?P<twice>p)(?P=twice)" } }, [0, 8]],
  ["regex unicode", { s: /^é/ }, [5]],
  ["$size", { tags: { $size: 2 } }, [0]],
  ["$size 0", { tags: { $size: 0 } }, [2]],
  ["$size 1 of nested", { tags: { $size: 1 } }, [1, 5]],
  ["$all", { tags: { $all: ["a", "b"] } }, [0]],
  ["$all on a scalar", { tags: { $all: ["b"] } }, [0, 1, 4]],
  ["$all empty", { tags: { $all: [] } }, []],
  ["$all of $elemMatch", { list: { $all: [{ $elemMatch: { k: 1, v: 1 } }, { $elemMatch: { k: 2 } }] } }, [3]],
  ["$elemMatch on documents", { list: { $elemMatch: { k: 1, v: 2 } } }, [4]],
  ["dotted conditions may use different elements", { "list.k": 1, "list.v": 2 }, [3, 4]],
  ["$elemMatch on scalars", { list: { $elemMatch: { $gt: 4, $lt: 6 } } }, [7]],
  ["$elemMatch with $or", { list: { $elemMatch: { $or: [{ k: 3 }, { v: 9 }] } } }, [5]],
  ["$elemMatch does not look into an array in the array", { tags: { $elemMatch: { $gte: "b" } } }, [0, 1]],
  ["$elemMatch with $in does not either", { tags: { $elemMatch: { $in: ["b", ["a", "b"]] } } }, [0, 1, 5]],
  ["$elemMatch within $elemMatch does", { tags: { $elemMatch: { $elemMatch: { $gte: "b" } } } }, [5]],
  ["$elemMatch takes an array in the array as a document", { tags: { $elemMatch: { "1": "b" } } }, [5]],
  ["dotted path", { "o.x": 1 }, [0, 1]],
  ["dotted path through an array", { "list.k": 2 }, [3, 4]],
  ["array index", { "list.0.k": 1 }, [3, 4]],
  ["array index of scalars", { "tags.0": "b" }, [1, 5]],
  ["$expr compares two fields", { $expr: { $eq: ["$o.x", "$o.y"] }, "o.y": { $exists: true } }, []],
  ["$expr", { $expr: { $gt: [{ $size: { $ifNull: ["$list", []] } }, 1] } }, [3, 4, 7]],
  ["$bitsAllSet", { n: { $bitsAllSet: 3 } }, [3]],
  ["$bitsAllSet with a binary mask", { n: { $bitsAllSet: new Binary(Buffer.from([3])) } }, [3]],
  ["$bitsAllSet of a binary value", { bin: { $bitsAllSet: [0, 9, 16, 17] } }, [8]],
  ["$bitsAllSet of a binary value, not set", { bin: { $bitsAllSet: [1] } }, []],
  ["$bitsAnyClear", { _id: { $bitsAnyClear: [0], $lt: 4 } }, [0, 2]],
  ["$comment is ignored", { n: 1, $comment: "why" }, [0, 8]],
  ["_id equal", { _id: 3 }, [3]],
  ["_id in", { _id: { $in: [5, 2, 99] } }, [2, 5]],
  ["_id range", { _id: { $gte: 3, $lt: 6 } }, [3, 4, 5]],
  ["field name that an object inherits", { constructor: { $exists: true } }, []],
];

const indexes: Document[] = [
  { n: 1 },
  { s: -1 },
  { tags: 1, n: -1 },
  { "o.x": 1, "o.y": 1 },
  { "list.k": 1, "list.v": 1 },
  { d: 1 },
  { b: 1 },
];

describe.each(targets)("queries on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let plain: Collection;
  let indexed: Collection;

  beforeAll(async () => {
    server = await target.open();
    plain = server.db.collection("plain");
    indexed = server.db.collection("indexed");
    await plain.insertMany(documents);
    for (const key of indexes) await indexed.createIndex(key);
    await indexed.insertMany(documents);
  });
  afterAll(() => server.close());

  it.each(cases)("%s", async (_name, filter, expected) => {
    for (const collection of [plain, indexed]) {
      const found = await collection.find(filter).toArray();
      expect(found.map(({ _id }) => Number(_id)).sort((a, b) => a - b)).toEqual(expected);
      expect(await collection.countDocuments(filter)).toBe(expected.length);
    }
  });

  const refused: [name: string, filter: Document, code: number][] = [
    ["unknown operator", { n: { $near: 1 } }, 2],
    ["unknown top-level operator", { $foo: 1 }, 2],
    ["$in without array", { n: { $in: 1 } }, 2],
    ["$or empty", { $or: [] }, 2],
    ["$mod malformed", { n: { $mod: [1] } }, 2],
    ["$elemMatch without object", { n: { $elemMatch: 1 } }, 2],
    ["$all without array", { n: { $all: 1 } }, 2],
    ["$text without text index", { $text: { $search: "x" } }, 27],
    ["$type unknown", { n: { $type: "thing" } }, 2],
  ];
  it.each(refused)("rejects %s", async (_name, filter, code) => {
    await expect(plain.find(filter).toArray()).rejects.toMatchObject({ code });
  });

  const sorts: [name: string, sort: Document, expected: number[]][] = [
    ["types in MongoDB's order", { n: 1, _id: 1 }, [6, 7, 9, 0, 8, 1, 2, 3, 4, 5]],
    ["descending takes the greatest element", { n: -1, _id: 1 }, [5, 8, 4, 3, 2, 1, 0, 9, 6, 7]],
    ["empty array before null", { tags: 1, _id: 1 }, [2, 3, 6, 7, 8, 9, 0, 1, 4, 5]],
    ["strings by bytes", { s: 1, _id: 1 }, [3, 4, 9, 1, 6, 0, 8, 2, 7, 5]],
    ["two fields", { "o.x": -1, "o.y": 1, _id: -1 }, [2, 1, 0, 9, 8, 7, 6, 5, 4, 3]],
    ["_id down", { _id: -1 }, range(0, 9).toReversed()],
  ];
  it.each(sorts)("sorts %s", async (_name, sort, expected) => {
    for (const collection of [plain, indexed]) {
      const found = await collection.find({}).sort(sort).toArray();
      expect(found.map(({ _id }) => Number(_id))).toEqual(expected);
      const page = await collection.find({}).sort(sort).skip(2).limit(3).toArray();
      expect(page.map(({ _id }) => Number(_id))).toEqual(expected.slice(2, 5));
    }
  });

  const projections: [name: string, filter: Document, projection: Document, expected: Document][] = [
    ["inclusion", { _id: 0 }, { s: 1 }, { _id: 0, s: "apple" }],
    ["inclusion without _id", { _id: 0 }, { s: 1, _id: 0 }, { s: "apple" }],
    ["exclusion", { _id: 1 }, { tags: 0, o: 0, d: 0, b: 0 }, { _id: 1, n: 2, s: "Banana" }],
    ["dotted inclusion", { _id: 0 }, { "o.x": 1 }, { _id: 0, o: { x: 1 } }],
    ["nested object form", { _id: 0 }, { o: { y: 1 } }, { _id: 0, o: { y: 2 } }],
    ["dotted exclusion", { _id: 0 }, { "o.x": 0, n: 0, s: 0, tags: 0, d: 0, b: 0 }, { _id: 0, o: { y: 2 } }],
    ["through arrays", { _id: 3 }, { "list.k": 1 }, { _id: 3, list: [{ k: 1 }, { k: 2 }] }],
    ["$slice", { _id: 3 }, { list: { $slice: 1 }, n: 1 }, { _id: 3, n: 3, list: [{ k: 1, v: 1 }] }],
    [
      "$slice from the end",
      { _id: 8 },
      { n: { $slice: -1 }, _id: 1, s: 1 },
      { _id: 8, n: [5], s: ["apple", "pear"] },
    ],
    [
      "$slice with skip",
      { _id: 8 },
      { n: { $slice: [1, 5] }, s: 1 },
      { _id: 8, n: [5], s: ["apple", "pear"] },
    ],
    ["$elemMatch", { _id: 4 }, { list: { $elemMatch: { k: 2 } } }, { _id: 4, list: [{ k: 2, v: 1 }] }],
    ["positional $", { _id: 4, "list.k": 2 }, { "list.$": 1 }, { _id: 4, list: [{ k: 2, v: 1 }] }],
    ["expression", { _id: 1 }, { twice: { $multiply: ["$n", 2] } }, { _id: 1, twice: 4 }],
    ["missing field", { _id: 1 }, { nothing: 1 }, { _id: 1 }],
  ];
  it.each(projections)("projects %s", async (_name, filter, projection, expected) => {
    const [found] = await plain.find(filter, { projection }).toArray();
    expect(found).toEqual(expected);
  });

  it("rejects an invalid filter even if the collection doesn't exist", async () => {
    const missing = plain.db.collection("missing");
    const filter = { a: { $nonsense: 1 } };
    await expect(missing.findOne(filter)).rejects.toMatchObject({ code: 2 });
    await expect(missing.distinct("a", filter)).rejects.toMatchObject({ code: 2 });
    await expect(missing.countDocuments(filter)).rejects.toMatchObject({ code: 2 });
    await expect(missing.deleteOne(filter)).rejects.toMatchObject({ code: 2 });
    await expect(missing.findOneAndDelete(filter)).rejects.toMatchObject({ code: 2 });
    expect(await missing.find({ $or: [{ a: 1 }] }).toArray()).toEqual([]);
  });

  it("finds references by their fields", async () => {
    const references = plain.db.collection<Document & { _id: number }>("references");
    const to = new DBRef("users", id1);
    const there = { $ref: "a.b", $id: id1 };
    await references.insertMany([
      { _id: 1, to },
      { _id: 2, to: [to] },
      { _id: 3, to: there },
    ]);
    const found = async (filter: Document) =>
      (await references.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    expect(await found({ to })).toEqual([1, 2]);
    expect(await found({ "to.$id": id1 })).toEqual([1, 2, 3]);
    expect(await found({ "to.$ref": "a.b" })).toEqual([3]);
    expect(await found({ to: { $elemMatch: { $id: id1 } } })).toEqual([2]);
    expect(await found({ to: { $elemMatch: { $ref: "users", $id: id1 } } })).toEqual([2]);
    await references.updateMany({}, { $set: { seen: true } });
    expect(await found({ "to.$ref": "a.b", "to.$db": { $exists: false } })).toEqual([3]);
    await references.updateOne(
      { _id: 4, to: new DBRef("groups", id1) },
      { $set: { a: 1 } },
      { upsert: true },
    );
    expect(await found({ "to.$ref": "groups" })).toEqual([4]);
    await references.updateOne({ _id: 2 }, { $pull: { to: to as never } });
    expect(await found({ to: { $size: 0 } })).toEqual([2]);
  });

  it("rejects a projection that includes and excludes", async () => {
    await expect(plain.find({}, { projection: { a: 1, b: 0 } }).toArray()).rejects.toMatchObject({
      code: 31254,
    });
  });

  const distincts: [field: string, filter: Document, expected: unknown[]][] = [
    ["b", {}, [false, true]],
    ["tags", { _id: { $lte: 1 } }, ["a", "b"]],
    ["list.k", {}, [1, 2, 3]],
    ["tags", { _id: { $in: [3, 4] } }, [null, "b"]],
    ["o.x", { b: true }, [1]],
  ];
  it.each(distincts)("distinct %s", async (field, filter, expected) => {
    expect(await plain.distinct(field, filter)).toEqual(expected);
  });
});
