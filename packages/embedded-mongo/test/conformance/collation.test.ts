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

  it("finds an _id by it", async () => {
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

  it("decides which values are distinct", async () => {
    const values = await collection.distinct("s", {}, { collation: base });
    expect(values).toHaveLength(4);
    expect(values).toEqual(expect.arrayContaining(["10", "9", "banana"]));
    expect(await collection.distinct("s", { s: "APPLE" }, { collation: accents })).toHaveLength(1);
  });

  it("is that of the statement in updates and deletions", async () => {
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

  it("never takes one _id for another", async () => {
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

  it("refuses a locale that doesn't exist", async () => {
    await expect(collection.findOne({}, { collation: { locale: "nowhere" } })).rejects.toMatchObject({
      code: 2,
    });
  });
});
