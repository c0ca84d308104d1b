import { Decimal128, Double, Int32, Long, ObjectId } from "bson";
import type { Collection, Document, UpdateFilter } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

const exact = { promoteValues: false } as const;
const date = new Date("2026-01-02T03:04:05.678Z");

type Case = [
  name: string,
  before: Document,
  update: Document | Document[],
  after: Document,
  options?: Document & { filter?: Document },
];

const cases: Case[] = [
  ["$set", { a: 1 }, { $set: { a: 2, b: "x" } }, { a: 2, b: "x" }],
  ["$set nested makes the way", {}, { $set: { "a.b.c": 1 } }, { a: { b: { c: 1 } } }],
  ["$set on an array element", { a: [1, 2, 3] }, { $set: { "a.1": 9 } }, { a: [1, 9, 3] }],
  [
    "$set beyond the end of an array pads with null",
    { a: [1] },
    { $set: { "a.3": 4 } },
    { a: [1, null, null, 4] },
  ],
  ["$set of a nested field that begins with $", { m: { $a: 1 } }, { $set: { "m.$a": 2 } }, { m: { $a: 2 } }],
  ["$set null", { a: 1 }, { $set: { a: null } }, { a: null }],
  ["$set keeps the order of fields", { b: 1, a: 2 }, { $set: { b: 3, c: 4 } }, { b: 3, a: 2, c: 4 }],
  ["$set a date and an object", {}, { $set: { d: date, o: { x: [1] } } }, { d: date, o: { x: [1] } }],
  ["$unset", { a: 1, b: 2 }, { $unset: { a: "" } }, { b: 2 }],
  ["$unset nested", { a: { b: 1, c: 2 } }, { $unset: { "a.b": "" } }, { a: { c: 2 } }],
  ["$unset of an array element leaves null", { a: [1, 2] }, { $unset: { "a.0": "" } }, { a: [null, 2] }],
  ["$unset of what is not there", { a: 1 }, { $unset: { "b.c": "" } }, { a: 1 }],
  ["$inc", { n: 1 }, { $inc: { n: 2 } }, { n: 3 }],
  ["$inc makes the field", {}, { $inc: { "a.n": 5 } }, { a: { n: 5 } }],
  ["$inc negative and fraction", { n: 1 }, { $inc: { n: -0.5 } }, { n: 0.5 }],
  ["$mul", { n: 3 }, { $mul: { n: 4 } }, { n: 12 }],
  ["$mul of a missing field is 0", {}, { $mul: { n: 4 } }, { n: 0 }],
  ["$min lowers", { n: 3 }, { $min: { n: 2 } }, { n: 2 }],
  ["$min keeps", { n: 3 }, { $min: { n: 4 } }, { n: 3 }],
  ["$max raises", { n: 3 }, { $max: { n: 4 } }, { n: 4 }],
  ["$max of a missing field sets it", {}, { $max: { n: 4 } }, { n: 4 }],
  ["$max of a date", { d: new Date(0) }, { $max: { d: date } }, { d: date }],
  ["$rename", { a: 1, c: 2 }, { $rename: { a: "b" } }, { c: 2, b: 1 }],
  ["$rename into a sub-document", { a: 1 }, { $rename: { a: "o.x" } }, { o: { x: 1 } }],
  ["$rename of what is not there", { a: 1 }, { $rename: { z: "b" } }, { a: 1 }],
  ["$setOnInsert does nothing on update", { a: 1 }, { $set: { a: 2 }, $setOnInsert: { b: 1 } }, { a: 2 }],
  ["$push", { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
  ["$push makes the array", {}, { $push: { a: 2 } }, { a: [2] }],
  ["$push an array as one element", { a: [] }, { $push: { a: [1, 2] } }, { a: [[1, 2]] }],
  ["$push $each", { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  ["$push $position", { a: [1, 4] }, { $push: { a: { $each: [2, 3], $position: 1 } } }, { a: [1, 2, 3, 4] }],
  [
    "$push $position negative",
    { a: [1, 4] },
    { $push: { a: { $each: [3], $position: -1 } } },
    { a: [1, 3, 4] },
  ],
  ["$push $slice keeps the last", { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
  ["$push $slice keeps the first", { a: [1, 2] }, { $push: { a: { $each: [3], $slice: 2 } } }, { a: [1, 2] }],
  ["$push $sort", { a: [3, 1] }, { $push: { a: { $each: [2], $sort: -1 } } }, { a: [3, 2, 1] }],
  [
    "$push $sort by field",
    { a: [{ n: 2 }] },
    { $push: { a: { $each: [{ n: 1 }], $sort: { n: 1 }, $slice: 5 } } },
    { a: [{ n: 1 }, { n: 2 }] },
  ],
  ["$addToSet", { a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ["$addToSet of what is there", { a: [1, 2] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ["$addToSet $each", { a: [1] }, { $addToSet: { a: { $each: [1, 2, 2] } } }, { a: [1, 2] }],
  ["$addToSet of a document", { a: [{ x: 1 }] }, { $addToSet: { a: { x: 1 } } }, { a: [{ x: 1 }] }],
  ["$pop last", { a: [1, 2] }, { $pop: { a: 1 } }, { a: [1] }],
  ["$pop first", { a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
  ["$pull value", { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
  ["$pull condition", { a: [1, 2, 3] }, { $pull: { a: { $gte: 2 } } }, { a: [1] }],
  ["$pull sub-documents", { a: [{ u: 1, x: 1 }, { u: 2 }] }, { $pull: { a: { u: 1 } } }, { a: [{ u: 2 }] }],
  ["$pull $in", { a: ["x", "y", "z"] }, { $pull: { a: { $in: ["x", "z"] } } }, { a: ["y"] }],
  ["$pull from a missing field", { b: 1 }, { $pull: { a: 1 } }, { b: 1 }],
  ["$pullAll", { a: [1, 2, 3, 1] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
  [
    "$set of a pipeline within a document",
    { a: { b: 1 } },
    [{ $set: { a: { c: 2 } } }],
    { a: { b: 1, c: 2 } },
  ],
  [
    "$set of a pipeline in each element of an array",
    { a: [{ b: 1 }, 2], n: 3 },
    [{ $set: { "a.c": "$n", d: { e: "$a.b" } } }],
    { a: [{ b: 1, c: 3 }, { c: 3 }], n: 3, d: { e: [1] } },
  ],
  ["$$REMOVE in a pipeline", { a: { b: 1, c: 2 } }, [{ $set: { "a.b": "$$REMOVE" } }], { a: { c: 2 } }],
  ["$bit and", { n: new Int32(13) }, { $bit: { n: { and: new Int32(10) } } }, { n: 8 }],
  ["$bit or, xor", { n: new Int32(8) }, { $bit: { n: { or: new Int32(3) } } }, { n: 11 }],
  ["positional $", { a: [1, 5, 9] }, { $set: { "a.$": 0 } }, { a: [1, 0, 9] }, { filter: { a: { $gt: 3 } } }],
  [
    "positional $ in documents",
    {
      a: [
        { k: 1, v: 1 },
        { k: 2, v: 1 },
      ],
    },
    { $inc: { "a.$.v": 5 } },
    {
      a: [
        { k: 1, v: 1 },
        { k: 2, v: 6 },
      ],
    },
    { filter: { "a.k": 2 } },
  ],
  [
    "positional $ by $elemMatch",
    {
      a: [
        { k: 1, v: 1 },
        { k: 1, v: 2 },
      ],
    },
    { $set: { "a.$.hit": true } },
    {
      a: [
        { k: 1, v: 1 },
        { k: 1, v: 2, hit: true },
      ],
    },
    { filter: { a: { $elemMatch: { k: 1, v: 2 } } } },
  ],
  ["$[] all elements", { a: [1, 2] }, { $inc: { "a.$[]": 10 } }, { a: [11, 12] }],
  ["$[] in documents", { a: [{ n: 1 }, { n: 2 }] }, { $mul: { "a.$[].n": 2 } }, { a: [{ n: 2 }, { n: 4 }] }],
  [
    "arrayFilters",
    {
      a: [
        { k: 1, v: 0 },
        { k: 2, v: 0 },
      ],
    },
    { $set: { "a.$[e].v": 9 } },
    {
      a: [
        { k: 1, v: 0 },
        { k: 2, v: 9 },
      ],
    },
    { arrayFilters: [{ "e.k": 2 }] },
  ],
  [
    "arrayFilters on scalars",
    { a: [1, 5, 8] },
    { $set: { "a.$[big]": 0 } },
    { a: [1, 0, 0] },
    { arrayFilters: [{ big: { $gte: 5 } }] },
  ],
  [
    "nested arrayFilters",
    { a: [{ k: 1, b: [1, 2] }] },
    { $inc: { "a.$[x].b.$[y]": 1 } },
    { a: [{ k: 1, b: [1, 3] }] },
    { arrayFilters: [{ "x.k": 1 }, { y: { $gt: 1 } }] },
  ],
  [
    "$push into a matched element",
    { a: [{ e: "+1", u: [1] }] },
    { $addToSet: { "a.$.u": 2 } },
    { a: [{ e: "+1", u: [1, 2] }] },
    { filter: { "a.e": "+1" } },
  ],
  ["pipeline", { a: 1, b: 2 }, [{ $set: { c: { $add: ["$a", "$b"] } } }, { $unset: "a" }], { b: 2, c: 3 }],
  [
    "pipeline with a condition",
    { a: 5 },
    [{ $set: { a: { $cond: [{ $gt: ["$a", 3] }, "big", "small"] } } }],
    { a: "big" },
  ],
  [
    "pipeline $replaceWith",
    { a: { x: 1 } },
    [{ $replaceWith: { $mergeObjects: ["$a", { _id: "$_id" }] } }],
    { x: 1 },
  ],
  [
    "several operators",
    { a: 1, l: [1] },
    { $inc: { a: 1 }, $push: { l: 2 }, $set: { s: "x" }, $unset: { z: "" } },
    { a: 2, l: [1, 2], s: "x" },
  ],
];

describe.each(targets)("updates on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let collection: Collection;

  beforeAll(async () => {
    server = await target.open();
    collection = server.db.collection("updates");
  });
  beforeEach(async () => {
    await collection.deleteMany({});
  });
  afterAll(() => server.close());

  it.each(cases)("%s", async (_name, before, update, after, { filter, ...options } = {}) => {
    const _id = new ObjectId();
    await collection.insertOne({ _id, ...before });
    const result = await collection.updateOne({ _id, ...filter }, update, options);
    expect(result.matchedCount).toBe(1);
    const { _id: kept, ...found } = (await collection.findOne({ _id }))!;
    expect(found).toEqual(after);
    expect(Object.keys(found)).toEqual(Object.keys(after));
    expect(kept).toEqual(_id);
    expect(result.modifiedCount).toBe(JSON.stringify(before) === JSON.stringify(after) ? 0 : 1);
  });

  const refused: [
    name: string,
    before: Document,
    update: Document | Document[],
    code: number,
    options?: Document,
  ][] = [
    ["$inc of a string", { n: "x" }, { $inc: { n: 1 } }, 14],
    ["$inc by a string", { n: 1 }, { $inc: { n: "x" } }, 14],
    ["$inc of null", { n: null }, { $inc: { n: 1 } }, 14],
    ["$push to a scalar", { a: 1 }, { $push: { a: 1 } }, 2],
    ["$addToSet to a scalar", { a: 1 }, { $addToSet: { a: 1 } }, 2],
    ["$set below a scalar", { a: 1 }, { $set: { "a.b": 1 } }, 28],
    ["two operators on one path", {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ["a path and its parent", {}, { $set: { a: 1, "a.b": 1 } }, 40],
    ["changing _id", {}, { $set: { _id: 1 } }, 66],
    ["an unknown operator", {}, { $foo: { a: 1 } }, 9],
    ["operators that are no object", {}, { $set: 1 }, 9],
    ["an empty path part", {}, { $set: { "a..b": 1 } }, 56],
    ["a field that begins with $", {}, { $set: { $a: 1 } }, 52],
    ["a path that begins with the positional $", {}, { $set: { "$.a": 1 } }, 2],
    ["$rename to a field that begins with $", { a: 1 }, { $rename: { a: "$b" } }, 52],
    ["$ without a match", { a: [1] }, { $set: { "a.$": 1 } }, 2],
    ["an unused array filter", { a: [1] }, { $set: { b: 1 } }, 9, { arrayFilters: [{ x: 1 }] }],
    ["an array filter that is missing", { a: [1] }, { $set: { "a.$[x]": 1 } }, 2],
    ["$pop by 2", { a: [1] }, { $pop: { a: 2 } }, 9],
    ["$rename through an array", { a: [{ b: 1 }] }, { $rename: { "a.b": "c" } }, 2],
    ["positional $ by $ne", { a: [1] }, { $set: { "a.$": 0 } }, 2, { filter: { a: { $ne: 9 } } }],
    ["$rename to a number", { a: 1 }, { $rename: { a: 1 } }, 2],
    ["$bit on a double", { n: 1.5 }, { $bit: { n: { or: new Int32(1) } } }, 2],
    ["$currentDate of a kind it does not know", {}, { $currentDate: { d: { $type: "x" } } }, 2],
  ];
  it.each(refused)("rejects %s and changes nothing", async (_name, before, update, code, options) => {
    await collection.insertOne({ _id: 7 as unknown as ObjectId, ...before });
    const { filter, ...rest } = options ?? {};
    const change = collection.updateOne({ _id: 7 as unknown as ObjectId, ...filter }, update, rest);
    await expect(change).rejects.toMatchObject({ code });
    expect(await collection.findOne()).toEqual({ _id: 7, ...before });
  });

  it("$currentDate sets the current time", async () => {
    await collection.insertOne({});
    await collection.updateOne({}, {
      $currentDate: { at: true, ts: { $type: "timestamp" } },
    } as unknown as UpdateFilter<Document>);
    const found = await collection.findOne();
    expect(Math.abs(Date.now() - found!["at"].getTime())).toBeLessThan(60_000);
    expect(found!["ts"]._bsontype).toBe("Timestamp");
  });

  it("updateMany counts matched and modified documents", async () => {
    await collection.insertMany([{ a: 1 }, { a: 1, b: 1 }, { a: 2 }]);
    const result = await collection.updateMany({ a: 1 }, { $set: { b: 1 } });
    expect(result).toMatchObject({ matchedCount: 2, modifiedCount: 1, upsertedCount: 0 });
  });

  it("replaceOne keeps the _id and rejects another one", async () => {
    const { insertedId } = await collection.insertOne({ a: 1, b: 2 });
    await collection.replaceOne({ a: 1 }, { c: 3 });
    expect(await collection.findOne()).toEqual({ _id: insertedId, c: 3 });
    await expect(collection.replaceOne({}, { _id: new ObjectId(), d: 1 })).rejects.toMatchObject({
      code: 66,
    });
  });

  const upserts: [name: string, filter: Document, update: Document, after: Document][] = [
    [
      "sets the equalities of the filter",
      { a: 1, "o.x": 2, n: { $gt: 5 } },
      { $set: { b: 3 } },
      { a: 1, o: { x: 2 }, b: 3 },
    ],
    ["$setOnInsert", { a: 1 }, { $setOnInsert: { c: 1 }, $inc: { n: 2 } }, { a: 1, c: 1, n: 2 }],
    ["$eq and $and", { $and: [{ a: { $eq: 1 } }, { b: 2 }] }, { $set: { c: 3 } }, { a: 1, b: 2, c: 3 }],
    ["replacement", { a: 1 }, { b: 2 }, { b: 2 }],
    ["$addToSet", { a: 1 }, { $addToSet: { l: 5 } }, { a: 1, l: [5] }],
    ["a field that begins with $", { a: 1 }, { $set: { $b: 1, "$c.d": 2 } }, { a: 1, $b: 1, $c: { d: 2 } }],
  ];
  it.each(upserts)("upsert %s", async (_name, filter, update, after) => {
    const replace = !Object.keys(update)[0]!.startsWith("$");
    const result = replace
      ? await collection.replaceOne(filter, update, { upsert: true })
      : await collection.updateOne(filter, update, { upsert: true });
    expect(result).toMatchObject({ matchedCount: 0, modifiedCount: 0, upsertedCount: 1 });
    const { _id, ...found } = (await collection.findOne())!;
    expect(found).toEqual(after);
    expect(result.upsertedId).toEqual(_id);
  });

  it("can remove a field that starts with $, but not change it", async () => {
    await collection.insertOne({ $a: 1, b: 2 });
    await collection.updateOne({}, { $set: { b: 3 } });
    expect(await collection.findOne({}, { projection: { _id: 0 } })).toEqual({ $a: 1, b: 3 });
    await collection.updateOne({}, { $unset: { $a: "" } });
    expect(await collection.findOne({}, { projection: { _id: 0 } })).toEqual({ b: 3 });
  });

  it("upsert by a filter with two values for a field is rejected", async () => {
    const change = collection.updateOne({ a: 1, "a.b": 1 }, { $set: { c: 1 } }, { upsert: true });
    await expect(change).rejects.toMatchObject({ code: 54 });
    expect(await collection.countDocuments()).toBe(0);
  });

  it("upsert with an _id in the filter", async () => {
    const result = await collection.updateOne(
      { _id: "u1" as unknown as ObjectId },
      { $inc: { n: 1 } },
      { upsert: true },
    );
    expect(result.upsertedId).toBe("u1");
    await collection.updateOne({ _id: "u1" as unknown as ObjectId }, { $inc: { n: 1 } }, { upsert: true });
    expect(await collection.find().toArray()).toEqual([{ _id: "u1", n: 2 }]);
  });

  const arithmetic: [name: string, before: unknown, by: unknown, type: string, value: string][] = [
    ["int + int", new Int32(1), new Int32(2), "Int32", "3"],
    ["int that overflows becomes long", new Int32(2147483647), new Int32(1), "Long", "2147483648"],
    ["long + int", Long.fromString("9007199254740993"), new Int32(1), "Long", "9007199254740994"],
    ["double + int stays double", new Double(1), new Int32(2), "Double", "3"],
    ["int + double", new Int32(1), new Double(2), "Double", "3"],
    ["decimal + int", Decimal128.fromString("0.1"), new Int32(1), "Decimal128", "1.1"],
    ["decimal + decimal", Decimal128.fromString("0.1"), Decimal128.fromString("0.2"), "Decimal128", "0.3"],
  ];
  it.each(arithmetic)("$inc types: %s", async (_name, before, by, type, value) => {
    await collection.insertOne({ n: before });
    await collection.updateOne({}, { $inc: { n: by } } as unknown as UpdateFilter<Document>);
    const found = await collection.findOne({}, exact);
    expect([found!["n"]._bsontype, String(found!["n"])]).toEqual([type, value]);
  });

  it("an update keeps the types of unchanged fields", async () => {
    await collection.insertOne({
      whole: new Double(5),
      long: Long.fromNumber(5),
      int: new Int32(5),
      zero: new Double(-0),
      big: Long.MAX_VALUE,
    });
    await collection.updateOne({}, { $set: { other: 1 } });
    await collection.updateOne({}, [{ $set: { third: 1 } }]);
    const found = (await collection.findOne({}, exact))!;
    expect(["whole", "long", "int", "zero", "big"].map((key) => found[key]._bsontype)).toEqual([
      "Double",
      "Long",
      "Int32",
      "Double",
      "Long",
    ]);
    expect(Object.is(found["zero"].value, -0)).toBe(true);
    expect(String(found["big"])).toBe("9223372036854775807");
  });

  describe("findOneAnd…", () => {
    it("returns the document before or after, projected and sorted", async () => {
      await collection.insertMany([
        { k: 1, n: 1 },
        { k: 1, n: 2 },
      ]);
      const before = await collection.findOneAndUpdate(
        { k: 1 },
        { $set: { x: 1 } },
        { sort: { n: -1 }, projection: { _id: 0, n: 1 } },
      );
      expect(before).toEqual({ n: 2 });
      const after = await collection.findOneAndUpdate(
        { k: 1 },
        { $inc: { n: 10 } },
        { sort: { n: 1 }, returnDocument: "after", projection: { _id: 0 } },
      );
      expect(after).toEqual({ k: 1, n: 11 });
    });
    it("upserts", async () => {
      const before = await collection.findOneAndUpdate({ k: 1 }, { $inc: { n: 1 } }, { upsert: true });
      expect(before).toBeNull();
      const after = await collection.findOneAndUpdate(
        { k: 2 },
        { $inc: { n: 1 } },
        { upsert: true, returnDocument: "after", includeResultMetadata: true },
      );
      expect(after.value).toMatchObject({ k: 2, n: 1 });
      expect(after.lastErrorObject).toMatchObject({ n: 1, updatedExisting: false });
      expect(after.lastErrorObject!["upserted"]).toEqual(after.value!["_id"]);
    });
    it("returns null if nothing matches", async () => {
      expect(await collection.findOneAndUpdate({ k: 1 }, { $set: { n: 1 } })).toBeNull();
      expect(await collection.findOneAndDelete({ k: 1 })).toBeNull();
      expect(await collection.findOneAndReplace({ k: 1 }, { n: 1 })).toBeNull();
    });
    it("deletes and replaces", async () => {
      await collection.insertMany([{ k: 1 }, { k: 2 }]);
      expect(await collection.findOneAndDelete({}, { sort: { k: -1 } })).toMatchObject({ k: 2 });
      expect(
        await collection.findOneAndReplace(
          { k: 1 },
          { z: 1 },
          { returnDocument: "after", projection: { _id: 0 } },
        ),
      ).toEqual({ z: 1 });
    });
    it("is atomic: concurrent $inc return every number once", async () => {
      const numbers = await Promise.all(
        Array.from({ length: 200 }, () =>
          collection.findOneAndUpdate(
            { k: "counter" },
            { $inc: { n: 1 } },
            { upsert: true, returnDocument: "after" },
          ),
        ),
      );
      expect(new Set(numbers.map((found) => found!["n"])).size).toBe(200);
      expect((await collection.findOne({ k: "counter" }))!["n"]).toBe(200);
    });
  });
});
