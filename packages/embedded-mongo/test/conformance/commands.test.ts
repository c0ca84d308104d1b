import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from "bson";
import type { Collection, Document } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

describe.each(targets)("commands on $name", (target) => {
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

  describe("documents", () => {
    it("preserve all types", async () => {
      const document = {
        _id: new ObjectId(),
        int: new Int32(1),
        double: new Double(1),
        negativeZero: new Double(-0),
        nan: new Double(Number.NaN),
        infinity: new Double(Number.POSITIVE_INFINITY),
        long: Long.MAX_VALUE,
        decimal: Decimal128.fromString("1.10"),
        string: "é€😀\0x",
        binary: new Binary(Buffer.from([0, 255]), 5),
        uuid: new UUID(),
        date: new Date(-1),
        regex: new BSONRegExp("a+", "im"),
        timestamp: new Timestamp({ t: 5, i: 6 }),
        code: new Code("f()"),
        min: new MinKey(),
        max: new MaxKey(),
        null: null,
        array: [new Int32(1), [new Double(2)], { x: null }],
        empty: {},
        proto: new Int32(1),
      };
      await collection.insertOne(document);
      const found = await collection.findOne({}, { promoteValues: false, bsonRegExp: true });
      expect(found).toEqual(document);
      expect(Object.keys(found!)).toEqual(Object.keys(document));
    });
    it("keep the order of their keys", async () => {
      await collection.insertOne({ z: 1, a: { y: 1, b: 2 }, m: 1 });
      const found = (await collection.findOne())!;
      expect(Object.keys(found)).toEqual(["_id", "z", "a", "m"]);
      expect(Object.keys(found["a"])).toEqual(["y", "b"]);
    });
    it("distinguish null from missing", async () => {
      await collection.insertOne({ a: null });
      expect(await collection.findOne()).toHaveProperty("a", null);
      expect(await collection.countDocuments({ a: { $exists: true } })).toBe(1);
    });
    it("can have any type of _id except an array", async () => {
      const ids = [1, "a", new ObjectId(), { x: 1 }, new Date(5), true] as unknown as ObjectId[];
      await collection.insertMany(ids.map((_id) => ({ _id })));
      for (const _id of ids) expect(await collection.findOne({ _id })).toEqual({ _id });
      await expect(collection.insertOne({ _id: [1] as unknown as ObjectId })).rejects.toMatchObject({
        code: expect.any(Number),
      });
    });
    it("can't have operators in the _id", async () => {
      const _id = { $a: 1 } as unknown as ObjectId;
      await expect(collection.insertOne({ _id })).rejects.toMatchObject({ code: 52 });
    });
    it("are returned in the order of insertion", async () => {
      await collection.insertMany([3, 1, 2].map((n) => ({ n })));
      expect((await collection.find().toArray()).map(({ n }) => n)).toEqual([3, 1, 2]);
      expect((await collection.find().sort({ $natural: -1 }).toArray()).map(({ n }) => n)).toEqual([2, 1, 3]);
    });
    it("are limited to 16 MiB", async () => {
      const big = { s: "x".repeat(16 * 1024 * 1024 + 100) };
      const reply = await server.db
        .command({ insert: "things", documents: [big] })
        .catch((error: Error) => error);
      expect(reply).toMatchObject(
        reply instanceof Error ? { code: 10334 } : { n: 0, writeErrors: [{ code: 10334 }] },
      );
    });
  });

  describe("insert", () => {
    it("reports a duplicate _id with its key", async () => {
      await collection.insertOne({ _id: 1 as unknown as ObjectId });
      const failed = collection.insertOne({ _id: 1 as unknown as ObjectId });
      await expect(failed).rejects.toMatchObject({
        code: 11000,
        keyPattern: { _id: 1 },
        keyValue: { _id: 1 },
      });
      await expect(collection.insertOne({ _id: 1 as unknown as ObjectId })).rejects.toThrow(
        /E11000 duplicate key error collection: \S+\.things index: _id_ dup key: \{ _id: 1 \}/,
      );
    });
    it("stops at the first error if ordered, otherwise continues", async () => {
      const rows = [1, 2, 2, 3].map((n) => ({ _id: n as unknown as ObjectId }));
      await expect(collection.insertMany(rows)).rejects.toMatchObject({
        code: 11000,
        result: { insertedCount: 2 },
      });
      await collection.deleteMany({});
      await expect(collection.insertMany(rows, { ordered: false })).rejects.toMatchObject({
        result: { insertedCount: 3 },
      });
      expect(await collection.countDocuments()).toBe(3);
    });
    it("inserts many documents", async () => {
      await collection.insertMany(Array.from({ length: 5000 }, (_, n) => ({ n })));
      expect(await collection.countDocuments()).toBe(5000);
      expect(await collection.estimatedDocumentCount()).toBe(5000);
    });
    it("without acknowledgement runs before the next command of the connection", async () => {
      await collection.insertOne({ a: 1 }, { writeConcern: { w: 0 } });
      await expect.poll(() => collection.countDocuments()).toBe(1);
    });
  });

  describe("readConcern", () => {
    it.each(["local", "available", "majority"] as const)("%s returns acknowledged writes", async (level) => {
      const readConcern = { level };
      await collection.insertMany([{ n: 1 }, { n: 2 }, { n: 2 }], { writeConcern: { w: "majority" } });
      expect(await collection.find({}, { readConcern, batchSize: 1 }).toArray()).toHaveLength(3);
      expect(await collection.countDocuments({ n: 2 }, { readConcern })).toBe(2);
      expect(await collection.estimatedDocumentCount({ readConcern })).toBe(3);
      expect(await collection.distinct("n", {}, { readConcern })).toEqual([1, 2]);
      const grouped = await collection.aggregate([{ $group: { _id: "$n" } }], { readConcern }).toArray();
      expect(grouped).toHaveLength(2);
    });
  });

  describe("delete", () => {
    it("deletes one or many", async () => {
      await collection.insertMany([1, 1, 1, 2].map((n) => ({ n })));
      expect(await collection.deleteOne({ n: 1 })).toMatchObject({ deletedCount: 1 });
      expect(await collection.deleteMany({ n: 1 })).toMatchObject({ deletedCount: 2 });
      expect(await collection.deleteMany({ n: 9 })).toMatchObject({ deletedCount: 0 });
      expect(await collection.countDocuments()).toBe(1);
    });
  });

  describe("bulkWrite", () => {
    it("mixes operations", async () => {
      const result = await collection.bulkWrite([
        { insertOne: { document: { k: 1, n: 0 } } },
        { insertOne: { document: { k: 2, n: 0 } } },
        { updateOne: { filter: { k: 1 }, update: { $inc: { n: 5 } } } },
        { updateMany: { filter: {}, update: { $inc: { n: 1 } } } },
        { updateOne: { filter: { k: 3 }, update: { $set: { n: 9 } }, upsert: true } },
        { replaceOne: { filter: { k: 2 }, replacement: { k: 2, replaced: true } } },
        { deleteOne: { filter: { k: 1 } } },
      ]);
      expect(result).toMatchObject({
        insertedCount: 2,
        matchedCount: 4,
        modifiedCount: 4,
        upsertedCount: 1,
        deletedCount: 1,
      });
      expect(await collection.find({}, { projection: { _id: 0 } }).toArray()).toEqual([
        { k: 2, replaced: true },
        { k: 3, n: 9 },
      ]);
    });
  });

  describe("let", () => {
    const is = { $expr: { $eq: ["$n", "$$x"] } };
    const options = { let: { x: 2 } };
    beforeEach(() => collection.insertMany([1, 2, 3].map((n) => ({ _id: n as never, n }))));

    it("defines variables for the filters of find, update, delete and findAndModify", async () => {
      expect(await collection.find(is, options as object).toArray()).toEqual([{ _id: 2, n: 2 }]);
      expect(await collection.updateMany(is, { $set: { is: true } }, options)).toMatchObject({
        modifiedCount: 1,
      });
      expect(await collection.findOneAndUpdate(is, { $set: { is: 2 } }, options)).toMatchObject({
        _id: 2,
        is: true,
      });
      expect(await collection.deleteMany(is, options)).toMatchObject({ deletedCount: 1 });
      expect(await collection.distinct("n")).toEqual([1, 3]);
    });

    it("defines variables for pipeline updates, and for all batches of a cursor", async () => {
      await collection.updateMany({}, [{ $set: { sum: { $add: ["$n", "$$x.y"] } } }], {
        let: { x: { y: 10 } },
      });
      expect(await collection.distinct("sum")).toEqual([11, 12, 13]);
      const more = { $expr: { $gte: ["$n", "$$x"] } };
      const found = collection.find(more, { let: { x: 1 }, batchSize: 1 } as object).sort({ _id: 1 });
      expect((await found.toArray()).map(({ n }) => n as number)).toEqual([1, 2, 3]);
    });

    it("evaluates expressions", async () => {
      const variables = { let: { text: { $literal: "$n" }, three: { $add: [1, 2] } } };
      const stages = [
        { $match: { $expr: { $eq: ["$n", "$$three"] } } },
        { $project: { _id: 0, text: "$$text" } },
      ];
      expect(await collection.aggregate(stages, variables).toArray()).toEqual([{ text: "$n" }]);
    });

    it("does not affect later commands", async () => {
      await collection.find(is, options as object).toArray();
      await expect(collection.find(is).toArray()).rejects.toThrow(/variable/);
    });
  });

  describe("cursors", () => {
    beforeEach(() => collection.insertMany(Array.from({ length: 1000 }, (_, n) => ({ n }))));
    it("return every document once", async () => {
      const seen: number[] = [];
      for await (const { n } of collection.find().sort({ n: 1 }).batchSize(7)) seen.push(n);
      expect(seen).toEqual(Array.from({ length: 1000 }, (_, n) => n));
    });
    it("apply skip and limit across batches", async () => {
      const found = await collection.find().sort({ n: -1 }).skip(10).limit(150).batchSize(40).toArray();
      expect(found.map(({ n }) => n)).toEqual(Array.from({ length: 150 }, (_, i) => 989 - i));
    });
    it("of aggregations have batches too", async () => {
      const seen = await collection.aggregate([{ $sort: { n: 1 } }], { batchSize: 100 }).toArray();
      expect(seen).toHaveLength(1000);
    });
    it("can't be used after they are closed", async () => {
      const cursor = collection.find().batchSize(2);
      await cursor.next();
      const { id } = cursor;
      await cursor.close();
      await expect(server.db.command({ getMore: id, collection: "things" })).rejects.toMatchObject({
        code: 43,
      });
    });
    it("return no documents at first with batchSize 0", async () => {
      const reply = await server.db.command({ find: "things", batchSize: 0 });
      expect(reply["cursor"].firstBatch).toEqual([]);
      expect(Number(reply["cursor"].id)).not.toBe(0);
    });
    it("are closed after a single batch", async () => {
      const reply = await server.db.command({ find: "things", batchSize: 5, singleBatch: true });
      expect(reply["cursor"].firstBatch).toHaveLength(5);
      expect(Number(reply["cursor"].id)).toBe(0);
    });
  });

  describe("administration", () => {
    it("creates, lists, renames and drops collections", async () => {
      await server.db.createCollection("a");
      await expect(server.db.createCollection("a")).rejects.toMatchObject({ code: 48 });
      await server.db.collection("a").rename("b");
      expect((await server.db.listCollections().toArray()).map(({ name }) => name)).toEqual(["b"]);
      expect(await server.db.listCollections({ name: "a" }).toArray()).toEqual([]);
      await expect(server.db.collection("nothing").rename("c")).rejects.toMatchObject({ code: 26 });
      await server.db.createCollection("c");
      await expect(server.db.collection("b").rename("c")).rejects.toMatchObject({ code: 48 });
      await server.db.collection("b").rename("c", { dropTarget: true });
      expect(await server.db.collection("c").drop()).toBe(true);
      expect(await server.db.listCollections().toArray()).toEqual([]);
    });
    it("reads of missing collections are empty", async () => {
      const nothing = server.db.collection("nothing");
      expect(await nothing.find().toArray()).toEqual([]);
      expect(await nothing.countDocuments()).toBe(0);
      expect(await nothing.distinct("a")).toEqual([]);
      expect(await nothing.aggregate([{ $match: {} }]).toArray()).toEqual([]);
      expect(await nothing.deleteMany({})).toMatchObject({ deletedCount: 0 });
    });
    it("lists databases", async () => {
      await collection.insertOne({});
      const { databases } = await server.client.db("admin").admin().listDatabases();
      expect(databases.map(({ name }) => name)).toContain(server.db.databaseName);
      await server.db.dropDatabase();
      const after = await server.client.db("admin").admin().listDatabases({ nameOnly: true });
      expect(after.databases.map(({ name }) => name)).not.toContain(server.db.databaseName);
    });
    it.each<[command: Document]>([
      [{ ping: 1 }],
      [{ hello: 1 }],
      [{ isMaster: 1 }],
      [{ buildInfo: 1 }],
      [{ dbStats: 1 }],
      [{ collStats: "things" }],
      [{ connectionStatus: 1 }],
    ])("answers %o", async (command) => {
      expect(await server.db.command(command)).toMatchObject({ ok: 1 });
    });
    it("serverStatus has the fields that monitoring reads", async () => {
      const status = await server.db.admin().serverStatus();
      expect(status).toMatchObject({
        ok: 1,
        version: expect.any(String),
        connections: { current: expect.any(Number) },
      });
    });
    it("serverStatus is answered while others write", async () => {
      const status = () => server.db.command({ serverStatus: 1 });
      for (let round = 0; round < 50; round++)
        await expect(
          Promise.all([collection.insertOne({}), status(), collection.insertOne({}), status()]),
        ).resolves.toHaveLength(4);
    });
    it.each<[name: string, command: Document, code: number]>([
      ["unknown commands", { frobnicate: 1 }, 59],
      ["a find without a name", { find: 1 }, 73],
      ["getMore of no cursor", { getMore: Long.fromNumber(987654), collection: "things" }, 43],
      ["listIndexes of nothing", { listIndexes: "nothing" }, 26],
      ["a negative skip", { find: "things", skip: -1 }, 2],
      ["a filter that is no object", { find: "things", filter: 1 }, 14],
      ["a bad sort", { find: "things", sort: { a: 2 } }, 2],
      ["drop of the _id index", { dropIndexes: "things", index: "_id_" }, 72],
      ["an empty batch", { insert: "things", documents: [] }, 16],
      ["a bad collection name", { create: "a$b" }, 73],
    ])("rejects %s", async (_name, command, code) => {
      await server.db.createCollection("things");
      await expect(server.db.command(command)).rejects.toMatchObject({ code });
    });
    it("accepts sessions", async () => {
      const session = server.client.startSession();
      await collection.insertOne({ a: 1 }, { session });
      expect(await collection.findOne({}, { session })).toMatchObject({ a: 1 });
      await session.endSession();
    });
  });
});
