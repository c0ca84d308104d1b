import type { Collection, CollationOptions, Document } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

type Word = Document & { _id: number };

const words: Word[] = ["apple", "Apple", "äpple", "Äpple", "banana", "10", "9"].map((s, i) => ({
  _id: i + 1,
  s,
  n: i + 1,
  list: [s, "x"],
}));

const base: CollationOptions = { locale: "en", strength: 1 };
const accents: CollationOptions = { locale: "en", strength: 2 };
const english: CollationOptions = { locale: "en" };

describe.each(targets)("collation on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let collection: Collection<Word>;

  beforeAll(async () => {
    server = await target.open();
    collection = server.db.collection<Word>("words");
  });
  beforeEach(async () => {
    await collection.drop().catch(() => false);
    await collection.insertMany(words);
  });
  afterAll(() => server.close());

  const found = async (filter: Document, collation: CollationOptions, sort: Document = { _id: 1 }) =>
    (await collection.find(filter, { collation }).sort(sort).batchSize(2).toArray()).map(({ _id }) => _id);

  it.each<[name: string, filter: Document, collation: CollationOptions, ids: number[]]>([
    ["equal", { s: "APPLE" }, base, [1, 2, 3, 4]],
    ["equal with accents", { s: "APPLE" }, accents, [1, 2]],
    ["equal with accents and case", { s: "Apple" }, english, [2]],
    ["equal with case only", { s: "Apple" }, { ...base, caseLevel: true }, [2, 4]],
    ["simple", { s: "APPLE" }, { locale: "simple" }, []],
    ["$eq in an array", { list: { $eq: "BANANA" } }, base, [5]],
    ["a whole array", { list: ["BANANA", "X"] }, base, [5]],
    ["$ne", { s: { $ne: "APPLE" } }, base, [5, 6, 7]],
    ["$in", { s: { $in: ["BANANA", "ÄPPLE", 5] } }, accents, [3, 4, 5]],
    ["$nin", { s: { $nin: ["BANANA", "APPLE"] } }, base, [6, 7]],
    ["$all", { list: { $all: ["BANANA", "X"] } }, base, [5]],
    ["$elemMatch", { list: { $elemMatch: { $eq: "BANANA" } } }, base, [5]],
    ["a range", { s: { $gte: "ä", $lt: "B" } }, base, [1, 2, 3, 4]],
    [
      "a range of numbers in strings",
      { s: { $gt: "9" } },
      { ...english, numericOrdering: true },
      [1, 2, 3, 4, 5, 6],
    ],
    ["$or", { $or: [{ s: "BANANA" }, { n: 1 }] }, base, [1, 5]],
    ["$not", { s: { $not: { $eq: "apple" } } }, base, [5, 6, 7]],
    ["a regular expression, which has none", { s: /^APPLE/ }, base, []],
    ["$expr", { $expr: { $eq: ["$s", "APPLE"] } }, accents, [1, 2]],
    ["$expr with $in", { $expr: { $in: ["BANANA", "$list"] } }, base, [5]],
  ])("finds %s, with and without indexes", async (_name, filter, collation, ids) => {
    expect(await found(filter, collation)).toEqual(ids);
    expect(await collection.countDocuments(filter, { collation })).toBe(ids.length);
    await collection.createIndexes([{ key: { s: 1 } }, { key: { list: 1 } }, { key: { n: 1, s: 1 } }]);
    expect(await found(filter, collation)).toEqual(ids);
    expect(await found({ n: { $gt: 0 }, ...filter }, collation)).toEqual(ids);
    expect(await collection.countDocuments(filter, { collation })).toBe(ids.length);
  });

  it("applies to queries by _id", async () => {
    const named = server.db.collection<{ _id: string }>("named");
    await named.insertOne({ _id: "Ada" });
    expect(await named.findOne({ _id: "ADA" }, { collation: base })).toEqual({ _id: "Ada" });
    expect(await named.findOne({ _id: { $in: ["ADA"] } }, { collation: base })).toEqual({ _id: "Ada" });
    await named.drop();
  });

  it.each<[name: string, collation: CollationOptions, sort: Document, ids: number[]]>([
    ["by letters, accents and case", english, { s: 1 }, [6, 7, 1, 2, 3, 4, 5]],
    ["backwards", english, { s: -1 }, [5, 4, 3, 2, 1, 7, 6]],
    ["upper case first", { ...english, caseFirst: "upper" }, { s: 1 }, [6, 7, 2, 1, 4, 3, 5]],
    ["numbers by value", { ...english, numericOrdering: true }, { s: 1 }, [7, 6, 1, 2, 3, 4, 5]],
    ["equal ones by the next field", base, { s: 1, n: -1 }, [6, 7, 4, 3, 2, 1, 5]],
    ["in Swedish", { locale: "sv" }, { s: 1 }, [6, 7, 1, 2, 5, 3, 4]],
    ["the least of an array", english, { list: 1, _id: 1 }, [6, 7, 1, 2, 3, 4, 5]],
  ])("sorts %s, with and without an index", async (_name, collation, sort, ids) => {
    const first = async () =>
      (await collection.find({}, { collation }).sort(sort).limit(4).toArray()).map(({ _id }) => _id);
    expect(await found({}, collation, sort)).toEqual(ids);
    expect(await first()).toEqual(ids.slice(0, 4));
    await collection.createIndexes([{ key: { s: 1 } }, { key: { n: 1 } }]);
    expect(await found({}, collation, sort)).toEqual(ids);
    expect(await found({ n: { $gt: 0 } }, collation, sort)).toEqual(ids);
    expect(await first()).toEqual(ids.slice(0, 4));
  });

  it("applies to distinct values", async () => {
    const values = await collection.distinct("s", {}, { collation: base });
    expect(values).toHaveLength(4);
    expect(values).toEqual(expect.arrayContaining(["10", "9", "banana"]));
    expect(await collection.distinct("s", { s: "APPLE" }, { collation: accents })).toHaveLength(1);
  });

  it("can be set per statement in updates and deletions", async () => {
    const { modifiedCount } = await collection.updateMany(
      { s: "BANANA" },
      { $set: { is: 1 } },
      { collation: base },
    );
    expect(modifiedCount).toBe(1);
    expect(
      await collection.findOneAndUpdate({ s: "BANANA" }, { $set: { is: 2 } }, { collation: base }),
    ).toMatchObject({ is: 1 });
    expect(await collection.findOneAndDelete({ s: "NONE" }, { collation: base })).toBeNull();
    const { deletedCount } = await collection.bulkWrite([
      { deleteMany: { filter: { s: "APPLE" }, collation: accents } },
      { deleteMany: { filter: { s: "BANANA" } } },
    ]);
    expect(deletedCount).toBe(2);
    expect(await collection.distinct("_id")).toEqual([3, 4, 5, 6, 7]);
  });

  it.each<[name: string, update: Document, list: string[], options?: Document]>([
    ["$addToSet", { $addToSet: { list: "APPLE" } }, ["apple", "x"]],
    ["$pull", { $pull: { list: "APPLE" } }, ["x"]],
    ["$pull with a condition", { $pull: { list: { $in: ["APPLE"] } } }, ["x"]],
    ["$pullAll", { $pullAll: { list: ["APPLE", "X"] } }, []],
    ["$push with $sort", { $push: { list: { $each: ["B"], $sort: 1 } } }, ["apple", "B", "x"]],
    ["an array filter", { $set: { "list.$[e]": "new" } }, ["new", "x"], { arrayFilters: [{ e: "APPLE" }] }],
    ["the positional $", { $set: { "list.$": "new" } }, ["apple", "new"]],
  ])("applies to %s", async (_name, update, list, options) => {
    const filter = { _id: 1, list: "X" };
    await collection.updateOne(filter, update, { ...options, collation: base });
    expect(await collection.findOne({ _id: 1 })).toMatchObject({ list });
  });

  it("never confuses two _ids", async () => {
    const named = server.db.collection<{ _id: string }>("named");
    await named.insertOne({ _id: "Ada" });
    await expect(
      named.replaceOne({ _id: "Ada" }, { _id: "ada" } as object, { collation: base }),
    ).rejects.toMatchObject({ code: 66 });
    await named.drop();
  });

  it("applies to the stages of a pipeline", async () => {
    const aggregate = (pipeline: Document[], collation = base) =>
      collection.aggregate(pipeline, { collation }).toArray();
    expect(
      await aggregate([
        { $match: { s: { $gte: "a" } } },
        { $group: { _id: "$s", n: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]),
    ).toMatchObject([{ n: 4 }, { n: 1 }]);
    expect(
      await aggregate([{ $limit: 100 }, { $match: { s: "APPLE" } }, { $sort: { s: -1, n: 1 } }], accents),
    ).toMatchObject([{ n: 1 }, { n: 2 }]);
    expect(
      await aggregate([{ $group: { _id: null, all: { $addToSet: "$s" }, last: { $max: "$s" } } }]),
    ).toEqual([{ _id: null, all: expect.objectContaining({ length: 4 }) as string[], last: "banana" }]);
    expect(
      await aggregate([
        { $match: { n: 1 } },
        { $set: { s: "APPLE" } },
        { $lookup: { from: "words", localField: "s", foreignField: "s", as: "same" } },
        { $project: { count: { $size: "$same" }, isEqual: { $eq: ["$s", "apple"] } } },
      ]),
    ).toEqual([{ _id: 1, count: 4, isEqual: true }]);
  });

  describe("of an index", () => {
    const unique = { unique: true, collation: accents };

    /** The names of the indexes that a query uses. */
    const usedBy = async (filter: Document, collation?: CollationOptions) => {
      const plan = await collection.find(filter, collation ? { collation } : {}).explain("queryPlanner");
      return [...JSON.stringify(plan).matchAll(/"indexName":"(\w+)"/g)].map(([, name]) => name);
    };

    it("determines which values are duplicates", async () => {
      await expect(collection.createIndex({ s: 1 }, unique)).rejects.toMatchObject({ code: 11000 });
      await collection.deleteOne({ _id: 2 });
      await collection.deleteOne({ _id: 4 });
      await collection.createIndex({ s: 1 }, unique);
      await expect(collection.insertOne({ _id: 8, s: "APPLE" })).rejects.toMatchObject({
        code: 11000,
        keyPattern: { s: 1 },
        message: expect.stringContaining("index: s_1") as string,
      });
      await expect(collection.updateOne({ _id: 5 }, { $set: { s: "ÄPPLE" } })).rejects.toMatchObject({
        code: 11000,
      });
      await collection.insertMany([
        { _id: 8, s: "ápple" },
        { _id: 9, s: "cherry" },
      ]);
      // The same letters with other accents.
      await collection.updateOne({ _id: 8 }, { $set: { s: "àpple" } });
      await expect(collection.updateOne({ _id: 8 }, { $set: { s: "aPPle" } })).rejects.toMatchObject({
        code: 11000,
      });
      await collection.updateOne({ _id: 9 }, { $set: { s: "CHERRY" } });
      await collection.deleteOne({ _id: 1 });
      await collection.updateOne({ _id: 8 }, { $set: { s: "aPPle" } });
      expect(await found({ s: "apple" }, accents)).toEqual([8]);
    });

    it("applies to arrays, sub-documents and several fields", async () => {
      await collection.deleteMany({});
      await collection.createIndex({ "o.a": 1, list: -1 }, unique);
      await collection.insertMany([
        { _id: 1, o: { a: "x" }, list: ["p", "q"] },
        { _id: 2, o: { a: "x" }, list: ["r", { deep: "Q" }] },
        { _id: 3, o: { a: "y" }, list: ["Q"] },
        { _id: 4, o: { a: 1 }, list: 1 },
      ]);
      const duplicates = [
        { o: { a: "X" }, list: ["z", "Q"] },
        { o: { a: "X" }, list: { deep: "q" } },
        { o: { a: 1 }, list: [2, 1] },
      ];
      for (const [i, duplicate] of duplicates.entries())
        await expect(collection.insertOne({ _id: 5 + i, ...duplicate })).rejects.toMatchObject({
          code: 11000,
        });
      expect(await found({ "o.a": "X", list: "Q" }, accents)).toEqual([1]);
      expect(await found({ "o.a": "X", list: { deep: "q" } }, accents)).toEqual([2]);
    });

    it("lets queries with the same collation use the index for strings, and others for the rest", async () => {
      await collection.createIndex({ s: 1 }, { collation: accents });
      expect(await usedBy({ s: "APPLE" }, accents)).toEqual(["s_1"]);
      expect(await usedBy({ s: { $in: ["APPLE", "x"] } }, { ...accents, caseLevel: false })).toEqual(["s_1"]);
      expect(await usedBy({ s: "APPLE" }, base)).toEqual([]);
      expect(await usedBy({ s: "apple" })).toEqual([]);
      expect(await usedBy({ s: /^app/ })).toEqual([]);
      expect(await usedBy({ s: 5 })).toEqual(["s_1"]);
      await collection.updateOne({ _id: 7 }, { $set: { s: 5 } });
      expect(await found({ s: "APPLE" }, accents)).toEqual([1, 2]);
      expect(await found({ s: "APPLE" }, base)).toEqual([1, 2, 3, 4]);
      expect(await found({ s: "apple" }, { locale: "simple" })).toEqual([1]);
      expect(await found({ s: 5 }, { locale: "simple" })).toEqual([7]);
      expect(await collection.countDocuments({ s: "äPPLE" }, { collation: accents })).toBe(2);
      expect(await found({ s: { $gte: "APPLE", $lt: "Äpple" } }, accents)).toEqual([1, 2]);
      expect(await found({}, accents, { s: 1, _id: -1 })).toEqual([7, 6, 2, 1, 4, 3, 5]);
      expect(await found({}, { locale: "simple" }, { s: 1 })).toEqual([7, 6, 2, 1, 5, 4, 3]);
    });

    it("applies to the partial filter", async () => {
      const partialFilterExpression = { s: { $eq: "APPLE" } };
      await collection.createIndex({ s: 1, n: 1 }, { collation: accents, partialFilterExpression });
      expect(await found({ s: "Apple", n: 1 }, accents)).toEqual([1]);
    });

    it("allows another index on the same fields", async () => {
      await collection.createIndexes([
        { key: { s: 1 }, name: "plain" },
        { key: { s: 1 }, name: "accents", collation: accents },
      ]);
      await collection.createIndex({ s: 1 }, { name: "accents", collation: accents });
      await expect(
        collection.createIndex({ s: 1 }, { name: "accents", collation: base }),
      ).rejects.toMatchObject({ code: 86 });
      const [, plain, other] = await collection.indexes();
      expect(plain).not.toHaveProperty("collation");
      expect(other).toMatchObject({
        name: "accents",
        collation: { locale: "en", strength: 2, caseLevel: false },
      });
      await collection.dropIndex("accents");
      expect(await collection.indexes()).toHaveLength(2);
    });

    it("is not allowed for a text index", async () => {
      await expect(collection.createIndex({ s: "text" }, { collation: accents })).rejects.toMatchObject({
        code: 67,
      });
    });
  });

  describe("of a collection", () => {
    let users: Collection<{ _id: string | number; s?: string; n?: number; list?: string[] }>;
    beforeEach(async () => {
      await server.db.dropCollection("users");
      users = await server.db.createCollection("users", { collation: accents });
    });

    it("is listed", async () => {
      await users.createIndexes([
        { key: { a: 1 }, name: "a" },
        { key: { b: 1 }, name: "b", collation: { locale: "simple" } },
      ]);
      const collation = { locale: "en", strength: 2 };
      const [listed] = await server.db.listCollections({ name: "users" }).toArray();
      expect(listed).toMatchObject({ options: { collation }, idIndex: { name: "_id_", collation } });
      const [id, a, b] = await users.indexes();
      expect(id).toMatchObject({ key: { _id: 1 }, name: "_id_", collation });
      expect(a).toMatchObject({ name: "a", collation });
      expect(b).not.toHaveProperty("collation");
    });

    it("is the default of commands", async () => {
      await users.createIndex({ s: 1 });
      await users.insertMany(words);
      expect(await users.find({ s: "APPLE" }).sort({ s: 1, _id: 1 }).project({ _id: 1 }).toArray()).toEqual([
        { _id: 1 },
        { _id: 2 },
      ]);
      const simple = { collation: { locale: "simple" } };
      expect(await users.countDocuments({ s: "APPLE" })).toBe(2);
      expect(await users.countDocuments({ s: "APPLE" }, simple)).toBe(0);
      expect(await users.distinct("s", { n: { $lte: 2 } })).toHaveLength(1);
      expect(await users.distinct("s", { n: { $lte: 2 } }, simple)).toHaveLength(2);
      expect(await users.aggregate([{ $sortByCount: "$s" }, { $limit: 1 }]).toArray()).toMatchObject([
        { count: 2 },
      ]);
      expect(await users.updateMany({ s: "BANANA" }, { $set: { n: 0 } })).toMatchObject({ modifiedCount: 1 });
      expect(await users.findOneAndUpdate({ s: "BANANA" }, { $pull: { list: "X" } })).toMatchObject({
        _id: 5,
      });
      expect(await users.findOne({ _id: 5 })).toMatchObject({ list: ["banana"] });
      expect(await users.deleteMany({ s: "ÄPPLE" })).toMatchObject({ deletedCount: 2 });
    });

    it("applies to _id", async () => {
      await users.insertMany([{ _id: "Ada" }, { _id: "Zoë" }, { _id: 1 }]);
      await expect(users.insertOne({ _id: "ADA" })).rejects.toMatchObject({
        code: 11000,
        keyPattern: { _id: 1 },
      });
      expect(await users.findOne({ _id: "ada" })).toEqual({ _id: "Ada" });
      expect(await users.findOne({ _id: "ada" }, { collation: { locale: "simple" } })).toBeNull();
      expect(
        await users
          .find({ _id: { $in: ["ADA", 1] } })
          .sort({ _id: 1 })
          .toArray(),
      ).toEqual([{ _id: 1 }, { _id: "Ada" }]);
      await users.updateOne({ _id: "ZOË" }, { $set: { n: 1 } }, { upsert: true });
      expect(await users.find().sort({ _id: -1 }).toArray()).toEqual([
        { _id: "Zoë", n: 1 },
        { _id: "Ada" },
        { _id: 1 },
      ]);
      await users.deleteOne({ _id: "ada" });
      await users.insertOne({ _id: "ADA" });
    });

    it("can't be overridden for the _id index", async () => {
      await users.createIndex({ _id: 1 });
      await expect(users.createIndex({ _id: 1 }, { collation: base })).rejects.toMatchObject({ code: 2 });
      await expect(collection.createIndex({ _id: 1 }, { collation: base })).rejects.toMatchObject({
        code: 2,
      });
      await expect(users.dropIndex("_id_")).rejects.toMatchObject({ code: 72 });
      await users.createIndex({ a: 1 });
      await users.dropIndexes();
      expect(await users.indexes()).toHaveLength(1);
    });

    it("is preserved by a rename and by $out", async () => {
      await collection.aggregate([{ $match: { n: { $gt: 4 } } }, { $out: "users" }]).toArray();
      expect(await users.countDocuments({ s: "BANANA" })).toBe(1);
      const renamed = await users.rename("members");
      expect(await renamed.countDocuments({ s: "BANANA" })).toBe(1);
      await renamed.drop();
    });
  });

  it("rejects an unknown locale", async () => {
    await expect(collection.findOne({}, { collation: { locale: "nowhere" } })).rejects.toMatchObject({
      code: 2,
    });
  });
});
