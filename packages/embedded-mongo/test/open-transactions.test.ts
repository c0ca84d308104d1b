import fs from "node:fs";
import {
  type ClientSession,
  type Collection,
  type Document,
  MongoClient,
  type MongoServerError,
} from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EmbeddedMongo, startEmbeddedMongo } from "../src/index.ts";
import { temporaryFolder } from "./targets.ts";

const failureOf = (work: Promise<unknown>): Promise<MongoServerError> =>
  work.then(
    () => Promise.reject(new Error("it didn't fail")),
    (error: MongoServerError) => error,
  );

/** Limits and differences from MongoDB; transactions.test.ts covers the common behavior. */
describe("open transactions of the embedded server", () => {
  let dir: string;
  let server: EmbeddedMongo;
  let client: MongoClient;
  let things: Collection<Document & { _id: number | string }>;

  beforeEach(async () => {
    dir = temporaryFolder();
    server = await startEmbeddedMongo({ dir, ttlIntervalMs: 60_000 });
    client = await new MongoClient(server.uri).connect();
    things = client.db("t").collection("things");
    await things.insertMany([1, 2, 3].map((_id) => ({ _id, n: 0 })));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await client.close();
    await server.close();
    fs.rmSync(dir, { recursive: true });
  });

  function begin(options = {}): ClientSession {
    const session = client.startSession();
    session.startTransaction(options);
    return session;
  }

  it("end after a minute", async () => {
    const session = begin();
    await things.updateOne({ _id: 1 }, { $set: { n: 1 } }, { session });
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 61_000);
    const error = await failureOf(session.commitTransaction());
    expect([error.code, error.hasErrorLabel("TransientTransactionError")]).toEqual([251, true]);
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, n: 0 });
    await session.endSession();
  });

  it("change at most 2,000 documents and 16 MiB", async () => {
    const many = Array.from({ length: 2_001 }, (_, i) => ({ _id: `m${i}` }));
    const large = Array.from({ length: 5 }, (_, i) => ({ _id: `l${i}`, text: "x".repeat(4 * 1024 * 1024) }));
    for (const documents of [many, large]) {
      const session = begin();
      expect((await failureOf(things.insertMany(documents, { session }))).code).toBe(257);
      await session.endSession();
    }
    const session = begin();
    await things.insertMany(many.slice(1), { session });
    await session.commitTransaction();
    expect(await things.countDocuments()).toBe(2_003);
  });

  it("are limited to a hundred", async () => {
    const sessions = Array.from({ length: 101 }, () => begin());
    const [last, ...others] = sessions.toReversed() as [ClientSession, ...ClientSession[]];
    await Promise.all(others.map((session) => things.findOne({}, { session })));
    const error = await failureOf(things.findOne({}, { session: last }));
    expect([error.code, error.hasErrorLabel("TransientTransactionError")]).toEqual([112, true]);
    for (const session of sessions) await session.endSession();
    await client.withSession((session) => session.withTransaction(() => things.findOne({}, { session })));
  });

  it("fail with the read concern snapshot instead of reading later changes", async () => {
    const session = begin({ readConcern: { level: "snapshot" } });
    await things.find({}, { session }).toArray();
    await client.db("t").collection("others").insertOne({});
    await things.findOne({}, { session });
    await things.insertOne({ _id: 4 });
    const error = await failureOf(things.findOne({ _id: 1 }, { session }));
    expect([error.code, error.hasErrorLabel("TransientTransactionError")]).toEqual([246, true]);
    await session.endSession();
  });

  it.each(["killSessions", "killAllSessions", "endSessions"])("end with %s", async (name) => {
    const session = begin();
    await things.insertOne({ _id: 4 }, { session });
    await client.db("admin").command({ [name]: name === "killAllSessions" ? [] : [session.id] });
    expect((await failureOf(session.commitTransaction())).code).toBe(251);
    expect(await things.countDocuments()).toBe(3);
    await session.endSession();
  });

  it("fail if their collection is dropped, and don't block other writes", async () => {
    const session = begin();
    await things.updateOne({ _id: 1 }, { $set: { n: 5 } }, { session });
    await things.updateOne({ _id: 1 }, { $set: { n: 6 } });
    expect((await failureOf(session.commitTransaction())).code).toBe(112);
    await session.endSession();
    const other = begin();
    await things.updateOne({ _id: 1 }, { $set: { n: 7 } }, { session: other });
    await things.drop();
    await things.insertOne({ _id: 1, n: 8 });
    expect((await failureOf(other.commitTransaction())).code).toBe(112);
    expect(await things.find().toArray()).toEqual([{ _id: 1, n: 8 }]);
    await other.endSession();
  });

  it("are invisible to paused commands and index builds, but visible to their own long statements", async () => {
    await things.insertMany(Array.from({ length: 30_000 }, (_, i) => ({ _id: 1000 + i, n: i % 100 })));
    const session = begin();
    await things.updateMany({ _id: { $lt: 4 } }, { $set: { n: [1, 2] } }, { session });
    await things.insertOne({ _id: 4, n: [1, 2] }, { session });
    const [sorted, , own] = await Promise.all([
      things.find().sort({ n: -1, _id: 1 }).toArray(),
      things.createIndex({ n: 1 }),
      things.find({ $expr: { $gte: ["$_id", 0] } }, { session }).toArray(),
      (async () => {
        for (let i = 0; i < 20; i++)
          await things.updateOne({ _id: 3 }, { $push: { n: i } } as object, { session });
      })().catch(() => {}),
    ]);
    expect(sorted.filter(({ n }) => Array.isArray(n))).toEqual([]);
    expect(sorted).toHaveLength(30_003);
    expect(own.length).toBe(30_004);
    await session.commitTransaction();
    expect(await things.countDocuments({ n: 2 })).toBe(304);
    await session.endSession();
    expect(await things.find({ n: 1 }).hint("n_1").toArray()).toHaveLength(304);
  });

  it("don't disturb the build of a unique index", async () => {
    await things.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ _id: 1000 + i, u: 1000 + i })));
    await things.updateMany({ _id: { $lt: 4 } }, [{ $set: { u: "$_id" } }]);
    const session = begin();
    await things.updateOne({ _id: 1 }, { $set: { u: 2 } }, { session });
    const build = things.createIndex({ u: 1 }, { unique: true });
    const reads = failureOf(
      (async () => {
        for (;;) await things.findOne({ _id: 1 }, { session });
      })(),
    );
    await build;
    expect((await reads).code).toBe(112);
    await session.endSession();
  });

  it("leave multikey flags of indexes correct", async () => {
    await things.createIndex({ n: 1 });
    const session = begin();
    await things.insertOne({ _id: 4, n: [1, 2] }, { session });
    await session.abortTransaction();
    await session.endSession();
    await things.insertOne({ _id: 5, n: [1, 2] });
    await client.close();
    await server.close();
    server = await startEmbeddedMongo({ dir });
    client = await new MongoClient(server.uri).connect();
    const found = client
      .db("t")
      .collection("things")
      .find({ n: { $gte: 1, $lte: 2 } })
      .hint("n_1");
    expect(await found.toArray()).toHaveLength(1);
  });
});
