import { Int32, Long, ObjectId } from "bson";
import type { Collection, Document, IndexSpecification } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

const stages = (plan: Document): string[] => [
  plan["stage"],
  ...(plan["inputStage"] ? stages(plan["inputStage"]) : []),
  ...(plan["inputStages"] ?? []).flatMap(stages),
];

describe.each(targets)("indexes on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let collection: Collection;

  beforeAll(async () => {
    server = await target.open();
  });
  beforeEach(async () => {
    await server.db.dropDatabase();
    collection = server.db.collection("things");
  });
  afterAll(() => server.close());

  const explained = async (filter: Document, options: Document = {}) =>
    stages((await collection.find(filter, options).explain())["queryPlanner"].winningPlan);

  describe("unique", () => {
    it("rejects duplicates on insert and update", async () => {
      await collection.createIndex({ u: 1 }, { unique: true });
      await collection.insertMany([{ u: 1 }, { u: 2 }]);
      const error = { code: 11000, keyPattern: { u: 1 }, keyValue: { u: 1 } };
      await expect(collection.insertOne({ u: 1 })).rejects.toMatchObject(error);
      await expect(collection.insertOne({ u: Long.fromNumber(1) })).rejects.toMatchObject({ code: 11000 });
      await expect(collection.updateOne({ u: 2 }, { $set: { u: 1 } })).rejects.toMatchObject(error);
      await expect(collection.insertOne({ u: 1 })).rejects.toThrow(/index: u_1 dup key: \{ u: 1 \}/);
      expect(await collection.countDocuments({ u: 2 })).toBe(1);
    });
    it("treats a missing field as null", async () => {
      await collection.createIndex({ u: 1 }, { unique: true });
      await collection.insertOne({});
      await expect(collection.insertOne({ u: null })).rejects.toMatchObject({ code: 11000 });
    });
    it("can't be built if there are duplicates", async () => {
      await collection.insertMany([{ u: 1 }, { u: 1 }]);
      await expect(collection.createIndex({ u: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
      expect(await collection.indexes()).toHaveLength(1);
    });
    it("compound", async () => {
      await collection.createIndex({ a: 1, b: -1 }, { unique: true });
      await collection.insertMany([
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ]);
      await expect(collection.insertOne({ a: 1, b: 2 })).rejects.toMatchObject({ keyValue: { a: 1, b: 2 } });
    });
    it("applies to array elements of different documents", async () => {
      await collection.createIndex({ l: 1 }, { unique: true });
      await collection.insertMany([{ l: [1, 1, 2] }, { l: [3] }]);
      await expect(collection.insertOne({ l: [4, 2] })).rejects.toMatchObject({ code: 11000 });
    });
    it("allows updating a document in place", async () => {
      await collection.createIndex({ u: 1 }, { unique: true });
      await collection.insertOne({ u: 1, n: 0 });
      await collection.updateOne({ u: 1 }, { $set: { u: 1, n: 1 } });
      await collection.deleteOne({ u: 1 });
      expect(await collection.insertOne({ u: 1 })).toMatchObject({ acknowledged: true });
    });
    it("distinguishes adjacent 64-bit numbers", async () => {
      await collection.createIndex({ u: 1 }, { unique: true });
      await collection.insertMany(
        ["9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775806"].map(
          (text) => ({ u: Long.fromString(text) }),
        ),
      );
      expect(await collection.countDocuments({ u: Long.fromString("9007199254740993") })).toBe(1);
      expect(await collection.countDocuments({ u: { $gt: Long.fromString("9223372036854775806") } })).toBe(1);
    });
  });

  describe("sparse and partial", () => {
    it("sparse unique allows many documents without the field", async () => {
      await collection.createIndex({ e: 1 }, { unique: true, sparse: true });
      await collection.insertMany([{}, {}, { e: "a" }]);
      await expect(collection.insertOne({ e: "a" })).rejects.toMatchObject({ code: 11000 });
      expect(await collection.find({ e: null }).toArray()).toHaveLength(2);
      expect(await collection.find().sort({ e: 1 }).toArray()).toHaveLength(3);
    });
    it("sparse indexes null", async () => {
      await collection.createIndex({ e: 1 }, { unique: true, sparse: true });
      await collection.insertOne({ e: null });
      await expect(collection.insertOne({ e: null })).rejects.toMatchObject({ code: 11000 });
    });
    it("compound sparse omits only documents without any of the fields", async () => {
      await collection.createIndex({ a: 1, b: 1 }, { unique: true, sparse: true });
      await collection.insertMany([{}, {}, { a: 1 }, { b: 1 }]);
      await expect(collection.insertOne({ a: 1 })).rejects.toMatchObject({ code: 11000 });
      expect(await collection.countDocuments({ a: null })).toBe(3);
    });
    it("partial unique applies only to documents that match the filter", async () => {
      await collection.createIndex(
        { nonce: 1 },
        { unique: true, partialFilterExpression: { nonce: { $exists: true } } },
      );
      await collection.insertMany([{}, {}, { nonce: "x" }]);
      await expect(collection.insertOne({ nonce: "x" })).rejects.toMatchObject({ code: 11000 });
      expect(await explained({ nonce: "x" })).toContain("IXSCAN");
      expect(await collection.countDocuments({ nonce: { $ne: "x" } })).toBe(2);
    });
    it("a partial index is used only if it contains all results", async () => {
      await collection.createIndex({ n: 1 }, { partialFilterExpression: { active: true } });
      await collection.insertMany([
        { n: 1, active: true },
        { n: 1, active: false },
      ]);
      expect(await collection.countDocuments({ n: 1 })).toBe(2);
      expect(await collection.countDocuments({ n: 1, active: true })).toBe(1);
      expect(await explained({ n: 1 })).toContain("COLLSCAN");
      expect(await explained({ n: 1, active: true })).toContain("IXSCAN");
    });
    it("an update moves a document into and out of a partial index", async () => {
      await collection.createIndex({ n: 1 }, { unique: true, partialFilterExpression: { active: true } });
      await collection.insertMany([
        { n: 1, active: true },
        { n: 1, active: false },
      ]);
      await expect(collection.updateOne({ active: false }, { $set: { active: true } })).rejects.toMatchObject(
        { code: 11000 },
      );
      await collection.updateOne({ active: true }, { $set: { active: false } });
      await collection.updateOne({ active: false }, { $set: { active: true } });
    });
  });

  describe("multikey", () => {
    it("provides the order of fields that aren't arrays, and sorts by arrays", async () => {
      const documents = [
        { _id: 1, tags: [3, 1], n: 3 },
        { _id: 2, tags: [0, 3], n: 1 },
        { _id: 3, tags: [3], n: 2 },
        { _id: 4, tags: [2], n: 4 },
      ] as Document[];
      await collection.insertMany(documents);
      await collection.createIndex({ tags: 1, n: -1 });
      const ids = async (sort: Record<string, 1 | -1>) =>
        (await collection.find({ tags: 3 }, { sort }).toArray()).map(({ _id }) => _id as unknown);
      expect(await ids({ n: -1 })).toEqual([1, 3, 2]);
      expect(await explained({ tags: 3 }, { sort: { n: -1 } })).not.toContain("SORT");
      expect(await ids({ tags: 1 })).toEqual([2, 1, 3]);
      expect(await ids({ tags: -1, n: 1 })).toEqual([2, 3, 1]);
    });
    it("finds by element", async () => {
      await collection.createIndex({ "members.userId": 1 });
      await collection.insertMany([
        { members: [{ userId: 1 }, { userId: 2 }] },
        { members: [{ userId: 3 }] },
        { members: [] },
      ]);
      expect(await collection.countDocuments({ "members.userId": 2 })).toBe(1);
      expect(await explained({ "members.userId": 2 })).toContain("IXSCAN");
    });
    it("returns a document once", async () => {
      await collection.createIndex({ l: 1 });
      await collection.insertOne({ l: [1, 2, 3] });
      expect(await collection.find({ l: { $gt: 0 } }).toArray()).toHaveLength(1);
      expect(await collection.find({ l: { $in: [1, 2] } }).toArray()).toHaveLength(1);
    });
    it("rejects parallel arrays", async () => {
      await collection.createIndex({ a: 1, b: 1 });
      await expect(collection.insertOne({ a: [1], b: [2] })).rejects.toMatchObject({ code: 171 });
    });
  });

  describe("plans", () => {
    const channel = new ObjectId();
    beforeEach(async () => {
      await collection.createIndex({ channelId: 1, seq: 1 }, { unique: true });
      await collection.insertMany(
        Array.from({ length: 200 }, (_, seq) => ({ channelId: channel, seq, rev: seq * 2 })),
      );
    });
    it.each<[name: string, filter: Document, options: Document, stage: string]>([
      [
        "equality and range with order",
        { channelId: channel, seq: { $lt: 100 } },
        { sort: { seq: -1 }, limit: 50 },
        "IXSCAN",
      ],
      ["equality only", { channelId: channel }, {}, "IXSCAN"],
      ["$in", { channelId: { $in: [channel] } }, {}, "IXSCAN"],
      ["order only", {}, { sort: { channelId: 1, seq: 1 } }, "IXSCAN"],
      ["second field only", { seq: 5 }, {}, "COLLSCAN"],
      ["no filter", {}, {}, "COLLSCAN"],
    ])("%s", async (_name, filter, options, stage) => {
      expect(await explained(filter, options)).toContain(stage);
    });
    it("newest 50 before a seq, without a sort", async () => {
      const options = { sort: { seq: -1 }, limit: 50 } as const;
      const found = await collection.find({ channelId: channel, seq: { $lt: 100 } }, options).toArray();
      expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => 99 - i));
      expect(await explained({ channelId: channel, seq: { $lt: 100 } }, options)).not.toContain("SORT");
    });
    it("sorts in another order", async () => {
      const found = await collection.find({ channelId: channel }).sort({ rev: -1 }).limit(3).toArray();
      expect(found.map(({ rev }) => rev)).toEqual([398, 396, 394]);
    });
    describe("a hint", () => {
      const all = Array.from({ length: 200 }, (_, seq) => seq);
      beforeEach(async () => {
        await collection.createIndex({ rare: 1 }, { sparse: true });
        await collection.updateMany({ seq: { $gte: 198 } }, { $set: { rare: true } });
      });
      it("selects the index", async () => {
        const filter = { channelId: channel, seq: 5 };
        const plan = async (hint: Document) =>
          JSON.stringify((await collection.find(filter, { hint }).explain())["queryPlanner"].winningPlan);
        expect(await plan({ $natural: 1 })).toContain("COLLSCAN");
        expect(await plan({ rare: 1 })).toContain('"rare_1"');
        expect(await plan({ _id: 1 })).toContain('"_id_"');
        for (const hint of [{ channelId: 1, seq: 1 }, { $natural: 1 }, { _id: 1 }])
          expect(await collection.find(filter, { hint }).toArray()).toHaveLength(1);
      });
      it("of $natural returns the natural or reverse order, unless there is a sort", async () => {
        const seqs = async (options: Document) =>
          (await collection.find({}, options).toArray()).map(({ seq }) => seq as number);
        expect(await seqs({ hint: { $natural: -1 } })).toEqual(all.toReversed());
        expect(await seqs({ hint: { $natural: -1 }, sort: { seq: 1 } })).toEqual(all);
      });
      it("on a sparse index omits documents that aren't in it", async () => {
        const hint = { rare: 1 };
        expect(await collection.find({}, { hint }).toArray()).toHaveLength(2);
        expect(await collection.countDocuments({}, { hint: "rare_1" })).toBe(2);
        expect(await collection.aggregate([{ $project: { seq: 1 } }], { hint }).toArray()).toHaveLength(2);
        expect(await collection.updateMany({}, { $set: { seen: 1 } }, { hint })).toMatchObject({
          modifiedCount: 2,
        });
        expect(await collection.findOneAndUpdate({ seq: 5 }, { $set: { seen: 1 } }, { hint })).toBeNull();
        expect(await collection.findOneAndDelete({ seq: 5 }, { hint })).toBeNull();
        expect(await collection.deleteMany({}, { hint })).toMatchObject({ deletedCount: 2 });
        expect(await collection.countDocuments({})).toBe(198);
      });
      it.each<[string, (hint: Document) => Promise<unknown>]>([
        ["find", (hint) => collection.findOne({}, { hint })],
        ["count", (hint) => collection.countDocuments({}, { hint })],
        ["aggregate", (hint) => collection.aggregate([], { hint }).toArray()],
        ["update", (hint) => collection.updateOne({}, { $set: { a: 1 } }, { hint })],
        ["delete", (hint) => collection.deleteOne({}, { hint })],
        ["findAndModify", (hint) => collection.findOneAndDelete({}, { hint })],
      ])("of %s must name an index", async (_name, run) => {
        await expect(run({ none: 1 })).rejects.toMatchObject({ code: 2 });
      });
    });
    it("doesn't use a hidden index until it is shown again", async () => {
      await collection.createIndex({ rev: 1 }, { hidden: true });
      const hidden = (value: boolean) =>
        collection.db.command({
          collMod: collection.collectionName,
          index: { name: "rev_1", hidden: value },
        });
      expect(await explained({ rev: 4 })).toContain("COLLSCAN");
      await expect(collection.findOne({ rev: 4 }, { hint: "rev_1" })).rejects.toMatchObject({ code: 2 });
      await hidden(false);
      expect(await explained({ rev: 4 })).toContain("IXSCAN");
      await hidden(true);
      expect(await explained({ rev: 4 })).toContain("COLLSCAN");
    });
    it("explains aggregate and count", async () => {
      const aggregate = await collection
        .aggregate([{ $match: { channelId: channel } }, { $limit: 1 }])
        .explain();
      expect(JSON.stringify(aggregate)).toContain("IXSCAN");
    });
  });

  describe("administration", () => {
    it("creates, lists and drops", async () => {
      expect(await collection.createIndex({ a: 1 })).toBe("a_1");
      expect(await collection.createIndex({ a: 1 })).toBe("a_1");
      await collection.createIndexes([
        { key: { b: -1 }, name: "byB" },
        { key: { c: 1 }, expireAfterSeconds: 60 },
      ]);
      const list = await collection.indexes();
      expect(list.map(({ name }) => name)).toEqual(["_id_", "a_1", "byB", "c_1"]);
      expect(list[3]).toMatchObject({ key: { c: 1 }, expireAfterSeconds: 60 });
      await collection.dropIndex("byB");
      await expect(collection.dropIndex("byB")).rejects.toMatchObject({ code: 27 });
      await collection.dropIndexes();
      expect(await collection.indexes()).toHaveLength(1);
    });
    it.each<
      [
        name: string,
        first: [IndexSpecification, Document],
        second: [IndexSpecification, Document],
        code: number,
      ]
    >([
      ["same name, other key", [{ a: 1 }, { name: "x" }], [{ b: 1 }, { name: "x" }], 86],
      ["same key, other name", [{ a: 1 }, { name: "x" }], [{ a: 1 }, { name: "y" }], 85],
      ["same name and key, other options", [{ a: 1 }, {}], [{ a: 1 }, { unique: true }], 86],
    ])("rejects %s", async (_name, first, second, code) => {
      await collection.createIndex(...first);
      const [key, options] = second;
      await expect(collection.createIndex(key, options)).rejects.toMatchObject({ code });
    });
    it.each<[name: string, key: Document, options: Document, code: number]>([
      ["an empty key", {}, {}, 67],
      ["a direction 0", { a: 0 }, {}, 67],
      ["a partial index with a negation", { a: 1 }, { partialFilterExpression: { p: { $ne: 1 } } }, 67],
      [
        "a partial index of what is missing",
        { a: 1 },
        { partialFilterExpression: { p: { $exists: false } } },
        67,
      ],
      ["a compound TTL", { a: 1, b: 1 }, { expireAfterSeconds: 1 }, 67],
    ])("rejects %s", async (_name, key, options, code) => {
      await expect(
        server.db.command({ createIndexes: "things", indexes: [{ key, name: "x", ...options }] }),
      ).rejects.toMatchObject({ code });
    });
  });

  describe("text", () => {
    beforeEach(async () => {
      await collection.createIndex({ title: "text", body: "text" }, { weights: { title: 10 } });
      await collection.insertMany([
        { _id: 1 as unknown as ObjectId, title: "Coffee and cake", body: "the best café" },
        { _id: 2 as unknown as ObjectId, title: "Tea", body: "no coffee here" },
        { _id: 3 as unknown as ObjectId, title: "Water", body: "still" },
      ]);
    });
    it.each<[search: string, expected: number[]]>([
      ["coffee", [1, 2]],
      ["COFFEE", [1, 2]],
      ["water cake", [1, 3]],
      ["coffee -tea", [1]],
      ['"coffee here"', [2]],
      ['coffee -"no coffee"', [1]],
      ["nothing", []],
      ["cafe", [1]],
    ])("finds %s", async (search, expected) => {
      const found = await collection.find({ $text: { $search: search } }).toArray();
      expect(found.map(({ _id }) => Number(_id)).sort((a, b) => a - b)).toEqual(expected);
    });
    it("sorts by score", async () => {
      const found = await collection
        .find({ $text: { $search: "coffee" } }, { projection: { score: { $meta: "textScore" } } })
        .sort({ score: { $meta: "textScore" } })
        .toArray();
      expect(found.map(({ _id }) => Number(_id))).toEqual([1, 2]);
      expect(found[0]!["score"]).toBeGreaterThan(found[1]!["score"]);
    });
    it("can be combined with other conditions and updates", async () => {
      await collection.updateOne({ _id: 3 as unknown as ObjectId }, { $set: { body: "sparkling coffee" } });
      expect(await collection.countDocuments({ $text: { $search: "coffee" }, title: "Water" })).toBe(1);
      await collection.deleteOne({ _id: 3 as unknown as ObjectId });
      expect(await collection.countDocuments({ $text: { $search: "sparkling" } })).toBe(0);
    });
  });

  it("indexes existing documents", async () => {
    await collection.insertMany([{ n: 1 }, { n: "1" }, { n: new Int32(2) }, { n: null }, {}, { n: [3] }]);
    await collection.createIndex({ n: 1 });
    expect(await collection.countDocuments({ n: { $gte: 1 } })).toBe(3);
    expect(await collection.countDocuments({ n: null })).toBe(2);
    expect(await collection.countDocuments({ n: 3 })).toBe(1);
  });
});
