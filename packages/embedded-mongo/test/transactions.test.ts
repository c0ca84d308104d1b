import {
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  Long,
  MongoClient,
  type MongoServerError,
  UUID,
} from "mongodb";
import mongoose from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Random } from "./random.ts";
import { targets } from "./targets.ts";
import { WireClient } from "./wire-client.ts";

interface Account {
  _id: string;
  n: number;
  tag?: string;
}

const errorOf = async (work: Promise<unknown>): Promise<MongoServerError> => {
  try {
    await work;
  } catch (error) {
    return error as MongoServerError;
  }
  throw new Error("it didn't fail");
};

const TRANSIENT = "TransientTransactionError";

describe.each(targets)("transactions: $name", (target) => {
  let client: MongoClient;
  let db: Db;
  let uri: string;
  let close: () => Promise<void>;
  let accounts: Collection<Account>;
  /** Only the embedded server supports transactions without a replica set. */
  let isSupported = true;

  beforeAll(async () => {
    const opened = await target.open();
    ({ client, db, uri } = opened);
    close = () => opened.close();
    const { setName, msg } = await db.admin().command({ hello: 1 });
    const { modules } = await db.admin().command({ buildInfo: 1 });
    isSupported =
      setName !== undefined || msg === "isdbgrid" || String(modules).includes("fanfare-embedded-mongo");
    accounts = db.collection("accounts");
  });
  afterAll(() => close());
  beforeEach(async (context) => {
    context.skip(!isSupported, "a standalone MongoDB has no transactions");
    await accounts.drop();
    await accounts.insertMany([
      { _id: "a", n: 1, tag: "x" },
      { _id: "b", n: 2, tag: "x" },
      { _id: "c", n: 3 },
    ]);
  });

  /** Runs in a transaction, which is aborted afterwards unless it has ended. */
  async function inTransaction(run: (session: ClientSession) => Promise<void>): Promise<void> {
    await client.withSession(async (session) => {
      session.startTransaction();
      await run(session);
      if (session.inTransaction()) await session.abortTransaction();
    });
  }

  const all = () => accounts.find().sort({ _id: 1 }).toArray();

  it("makes changes visible to others atomically with the commit", async () => {
    const before = await all();
    await inTransaction(async (session) => {
      await accounts.insertOne({ _id: "d", n: 4 }, { session });
      await accounts.updateMany({ tag: "x" }, { $inc: { n: 10 } }, { session });
      await accounts.deleteOne({ _id: "c" }, { session });
      const old = await accounts.findOneAndUpdate({ _id: "a" }, { $set: { tag: "y" } }, { session });
      expect(old).toEqual({ _id: "a", n: 11, tag: "x" });
      const expected = [
        { _id: "a", n: 11, tag: "y" },
        { _id: "b", n: 12, tag: "x" },
        { _id: "d", n: 4 },
      ];
      expect(await accounts.find({}, { session }).sort({ _id: 1 }).toArray()).toEqual(expected);
      expect(await accounts.countDocuments({}, { session })).toBe(3);
      expect(new Set(await accounts.distinct("tag", {}, { session }))).toEqual(new Set(["x", "y"]));
      expect(
        await accounts.aggregate([{ $group: { _id: null, n: { $sum: "$n" } } }], { session }).toArray(),
      ).toEqual([{ _id: null, n: 27 }]);
      expect(await all()).toEqual(before);
      expect(await accounts.findOne({ _id: "d" })).toBeNull();
      expect(await accounts.estimatedDocumentCount()).toBe(3);
      await session.commitTransaction();
      expect(await all()).toEqual(expected);
      await session.commitTransaction();
    });
    expect(await accounts.estimatedDocumentCount()).toBe(3);
  });

  it("discards all changes of an aborted transaction", async () => {
    await accounts.createIndex({ tag: 1 });
    const before = await all();
    await inTransaction(async (session) => {
      await accounts.insertOne({ _id: "d", n: 4, tag: "x" }, { session });
      await accounts.updateOne({ _id: "a" }, { $set: { tag: "y" } }, { session });
      await accounts.deleteMany({ n: { $gt: 1, $lt: 4 } }, { session });
      await session.abortTransaction();
    });
    expect(await all()).toEqual(before);
    expect(await accounts.find({ tag: "x" }).sort({ _id: 1 }).toArray()).toEqual(before.slice(0, 2));
    expect(await accounts.countDocuments({ tag: "y" })).toBe(0);
    await accounts.insertOne({ _id: "d", n: 5 });
    expect(await accounts.countDocuments()).toBe(4);
  });

  it("reads by an index with its own changes, others without them", async () => {
    await accounts.createIndex({ tag: 1, n: 1 });
    const read = async (session?: ClientSession) => {
      const found = await accounts.find({ tag: "x" }, { session }).sort({ n: -1 }).limit(5).toArray();
      return found.map(({ _id }) => _id);
    };
    expect(await read()).toEqual(["b", "a"]);
    await inTransaction(async (session) => {
      expect(await read(session)).toEqual(["b", "a"]);
      await accounts.updateOne({ _id: "c" }, { $set: { tag: "x" } }, { session });
      await accounts.deleteOne({ _id: "a" }, { session });
      for (let i = 0; i < 2; i++) {
        expect(await read(session)).toEqual(["c", "b"]);
        expect(await read()).toEqual(["b", "a"]);
      }
    });
    expect(await read()).toEqual(["b", "a"]);
    await accounts.updateOne({ _id: "c" }, { $set: { tag: "x" } });
    expect(await read()).toEqual(["c", "b", "a"]);
  });

  it("reads batches of a cursor with its own changes, but not outside", async () => {
    await accounts.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: `k${i}`, n: 100 + i })));
    await inTransaction(async (session) => {
      await accounts.deleteMany({ n: { $gte: 100, $lt: 200 } }, { session });
      await accounts.insertMany(
        Array.from({ length: 50 }, (_, i) => ({ _id: `o${i}`, n: 1000 + i })),
        { session },
      );
      const cursor = accounts.find({ n: { $gte: 100 } }, { session, batchSize: 20 });
      const seen: string[] = [];
      seen.push((await cursor.next())!._id);
      expect(await accounts.countDocuments()).toBe(503);
      await accounts.insertOne({ _id: "z", n: 0 });
      for await (const { _id } of cursor) seen.push(_id);
      expect(new Set(seen).size).toBe(450);
      expect(seen).toHaveLength(450);
      const open = await db.command({ find: "accounts", batchSize: 2 }, { session });
      const outside = { getMore: open["cursor"].id, collection: "accounts" };
      expect((await errorOf(db.command(outside))).code).toBe(50741);
    });
  });

  it("fails the later one of two transactions that write a document", async () => {
    await inTransaction(async (first) => {
      await accounts.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session: first });
      await inTransaction(async (second) => {
        await accounts.updateOne({ _id: "b" }, { $inc: { n: 1 } }, { session: second });
        const error = await errorOf(
          accounts.updateOne({ _id: "a" }, { $inc: { n: 5 } }, { session: second }),
        );
        expect(error.code).toBe(112);
        expect(error.hasErrorLabel(TRANSIENT)).toBe(true);
        // It has been aborted.
        const later = await errorOf(accounts.findOne({}, { session: second }));
        expect(later.code).toBe(251);
        expect(later.hasErrorLabel(TRANSIENT)).toBe(true);
      });
      await first.commitTransaction();
    });
    expect((await all()).map(({ n }) => n)).toEqual([2, 2, 3]);
  });

  it("fails a transaction that writes a document changed by another write since its start", async () => {
    for (const change of [
      () => accounts.updateOne({ _id: "a" }, { $set: { n: 7 } }),
      () => accounts.deleteOne({ _id: "a" }),
    ])
      await inTransaction(async (session) => {
        const found = await accounts.findOne({ _id: "a" }, { session });
        await change();
        const write = accounts.replaceOne({ _id: "a" }, { n: found!.n + 1 }, { session, upsert: true });
        expect((await errorOf(write.then(() => session.commitTransaction()))).code).toBe(112);
      });
    expect(await accounts.findOne({ _id: "a" })).toBeNull();
    await inTransaction(async (session) => {
      const { n } = (await accounts.findOne({ _id: "b" }, { session }))!;
      await accounts.updateOne({ _id: "b" }, { $inc: { n: 1 } });
      // Sets the same value: otherwise, one of the two increments would be lost.
      const write = accounts.updateOne({ _id: "b" }, { $set: { n: n + 1 } }, { session });
      expect((await errorOf(write)).code).toBe(112);
    });
  });

  it("retries withTransaction until all increments are applied", async () => {
    const add = () =>
      client.withSession((session) =>
        session.withTransaction(async () => {
          const { n } = (await accounts.findOne({ _id: "a" }, { session }))!;
          await accounts.updateOne({ _id: "a" }, { $set: { n: n + 1 } }, { session });
          await accounts.updateOne({ _id: "b" }, { $inc: { n: 1 } }, { session });
        }),
      );
    await Promise.all(Array.from({ length: 8 }, add));
    expect((await all()).map(({ n }) => n)).toEqual([9, 10, 3]);
  });

  it("commits only one of two inserts that violate a unique index", async () => {
    await accounts.createIndex({ tag: 1 }, { unique: true, partialFilterExpression: { n: { $gt: 50 } } });
    const insert = (_id: string) =>
      client.withSession((session) =>
        session.withTransaction(async () => {
          await accounts.insertOne({ _id, n: 51, tag: "same" }, { session });
        }),
      );
    const results = await Promise.allSettled([insert("d"), insert("e")]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const failed = results.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(failed.reason.code).toBe(11000);
    expect(await accounts.countDocuments({ tag: "same" })).toBe(1);
  });

  it("fails with a write conflict if the value was added to a unique index concurrently", async () => {
    await accounts.createIndex({ tag: 1 }, { unique: true, partialFilterExpression: { n: { $gt: 50 } } });
    await inTransaction(async (first) => {
      await accounts.insertOne({ _id: "d", n: 51, tag: "same" }, { session: first });
      await inTransaction(async (second) => {
        const write = accounts.insertOne({ _id: "e", n: 51, tag: "same" }, { session: second });
        const commits = write.then(async () => {
          await first.commitTransaction();
          return second.commitTransaction();
        });
        const error = await errorOf(commits);
        expect([error.code, error.hasErrorLabel(TRANSIENT)]).toEqual([112, true]);
      });
    });
  });

  it("aborts if a statement fails", async () => {
    await inTransaction(async (session) => {
      await accounts.insertOne({ _id: "d", n: 4 }, { session });
      const duplicate = await errorOf(accounts.insertOne({ _id: "a", n: 4 }, { session }));
      expect(duplicate.code).toBe(11000);
      expect(duplicate.hasErrorLabel(TRANSIENT)).toBe(false);
      expect((await errorOf(accounts.findOne({}, { session }))).code).toBe(251);
      expect((await errorOf(session.commitTransaction())).code).toBe(251);
    });
    expect(await accounts.countDocuments()).toBe(3);
  });

  it("rejects operations that are not supported in transactions", async () => {
    for (const command of [
      { count: "accounts" },
      { dropIndexes: "accounts", index: "*" },
      { drop: "accounts" },
      { listCollections: 1 },
      { aggregate: "accounts", pipeline: [{ $out: "other" }], cursor: {} },
      { aggregate: "accounts", pipeline: [{ $merge: "other" }], cursor: {} },
    ])
      await inTransaction(async (session) => {
        await accounts.insertOne({ _id: "d", n: 4 }, { session });
        expect((await errorOf(db.command(command, { session }))).code).toBe(263);
      });
    expect(await accounts.countDocuments()).toBe(3);
  });

  it("checks the transaction number", async () => {
    // The driver would use its own numbers.
    const { socketPath, host, port } = client.options.hosts[0]!;
    const wire = await WireClient.open(
      socketPath === undefined ? { host: host!, port: port! } : { path: socketPath },
    );
    const lsid = { id: new UUID() };
    const run = async (number: number, command: Document): Promise<unknown> => {
      const name = "commitTransaction" in command ? "admin" : db.databaseName;
      const transaction = { lsid, txnNumber: Long.fromNumber(number), autocommit: false };
      const reply = await wire.command(name, { ...command, ...transaction });
      return Number(reply["ok"]) === 1 ? 0 : Number(reply["code"]);
    };
    const find = { find: "accounts" };
    const start = { find: "accounts", startTransaction: true };
    const commit = { commitTransaction: 1 };
    const codes: unknown[] = [];
    for (const [number, command] of [
      [5, find],
      [5, start],
      [4, find],
      [6, find],
      [6, start],
      [5, find],
      [6, commit],
      [6, commit],
      [6, find],
      [7, commit],
    ] as const)
      codes.push(await run(number, command));
    expect(codes).toEqual([251, 0, 225, 251, 0, 225, 0, 0, 256, 251]);
    wire.close();
  });

  it("aborts with the end of the session", async () => {
    const other = await new MongoClient(uri).connect();
    const session = other.startSession();
    session.startTransaction();
    await other.db(db.databaseName).collection("accounts").insertOne({ tag: "gone" }, { session });
    await other.close();
    await expect.poll(() => accounts.updateOne({ _id: "a" }, { $set: { n: 9 } })).toBeTruthy();
    expect(await accounts.countDocuments({ tag: "gone" })).toBe(0);
  });

  it("runs mongoose's transactions", async () => {
    const connection = await mongoose.createConnection(uri, { dbName: db.databaseName }).asPromise();
    const model = connection.model("thing", new mongoose.Schema({ name: String }));
    await model.init();
    await model.createCollection();
    await connection.transaction(async (session) => {
      const [made] = await model.create([{ name: "one" }], { session });
      made!.name = "two";
      await made!.save({ session });
      expect(await model.countDocuments()).toBe(0);
    });
    expect(await model.find().distinct("name")).toEqual(["two"]);
    const failing = connection.transaction(async (session) => {
      await model.create([{ name: "three" }], { session });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await model.countDocuments()).toBe(1);
    await connection.close();
  });

  it("preserves sums and serializability under random transactions and other writes", async () => {
    const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);
    const random = new Random(seed);
    const ids = Array.from({ length: 6 }, (_, i) => `m${i}`);
    await accounts.createIndex({ n: 1 });
    await accounts.insertMany(ids.map((_id) => ({ _id, n: 100 })));
    const log = db.collection<{ _id: number; from: string; to: string; by: number; at: number }>("log");
    await log.drop();
    await log.insertOne({ _id: -1, from: "", to: "", by: 0, at: 0 });
    await accounts.insertOne({ _id: "clock", n: 1000 });
    let plain = 0;
    let next = 0;
    let committed = 0;
    const aborted: number[] = [];
    const transfer = async (session: ClientSession): Promise<void> => {
      const from = random.pick(ids);
      const to = random.pick(ids.filter((id) => id !== from));
      const by = 1 + random.int(5);
      const _id = next++;
      const fails = random.chance(0.2);
      let attempts = 0;
      try {
        await session.withTransaction(async () => {
          attempts++;
          const [source, target] = [
            (await accounts.findOne({ _id: from }, { session }))!,
            (await accounts.findOne({ _id: to }, { session }))!,
          ];
          await accounts.updateOne({ _id: from }, { $set: { n: source.n - by } }, { session });
          const time = await accounts.findOneAndUpdate({ _id: "clock" }, { $inc: { n: 1 } }, { session });
          await log.insertOne({ _id, from, to, by, at: time!.n }, { session });
          await accounts.updateOne({ _id: to }, { $set: { n: target.n + by } }, { session });
          if (fails) throw new Error("changed my mind");
        });
        committed++;
      } catch (error) {
        if ((error as Error).message !== "changed my mind") throw error;
        aborted.push(_id);
      }
      expect(attempts).toBeGreaterThan(0);
    };
    const writer = async (rounds: number) => {
      const session = client.startSession();
      for (let i = 0; i < rounds; i++) {
        if (random.chance(0.8)) await transfer(session);
        else {
          await accounts.updateOne({ _id: random.pick(ids) }, { $inc: { n: 1 } });
          plain++;
        }
        // A single command without pauses reads a consistent state, so the sum must be that of a serial order.
        const [sum] = await accounts
          .aggregate([{ $match: { _id: { $in: ids } } }, { $group: { _id: null, n: { $sum: "$n" } } }])
          .toArray();
        expect(sum!["n"], `FUZZ_SEED=${seed}`).toBeGreaterThanOrEqual(600);
      }
      await session.endSession();
    };
    await Promise.all(Array.from({ length: 4 }, () => writer(12)));
    const entries = await log
      .find({ _id: { $gte: 0 } })
      .sort({ at: 1 })
      .toArray();
    expect(entries, `FUZZ_SEED=${seed}`).toHaveLength(committed);
    expect(entries.filter(({ _id }) => aborted.includes(_id))).toEqual([]);
    // The clock gives each committed transaction a unique position.
    expect(entries.map(({ at }) => at)).toEqual(entries.map((_, i) => 1000 + i));
    const model = new Map(ids.map((id) => [id, 100]));
    for (const { from, to, by } of entries) {
      model.set(from, model.get(from)! - by);
      model.set(to, model.get(to)! + by);
    }
    const found = await accounts.find({ _id: { $in: ids } }).toArray();
    const sum = (values: number[]) => values.reduce((total, n) => total + n, 0);
    expect(sum(found.map(({ n }) => n)), `FUZZ_SEED=${seed}`).toBe(600 + plain);
    for (const { _id, n } of found) expect(n, `FUZZ_SEED=${seed}`).toBeGreaterThanOrEqual(model.get(_id)!);
    expect(sum(found.map(({ _id, n }) => n - model.get(_id)!))).toBe(plain);
    const byIndex = await accounts
      .find({ n: { $gte: -1000, $lt: 1000 }, _id: { $in: ids } })
      .hint("n_1")
      .toArray();
    expect(byIndex.length).toBe(ids.length);
  });
});
