import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getHeapStatistics } from "node:v8";
import { deserialize, serialize } from "bson";
import type { Collection, Document } from "mongodb";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import {
  DataFolderInUseError,
  DataFolderMismatchError,
  type EmbeddedMongo,
  type EmbeddedMongoOptions,
  startEmbeddedMongo,
  startEmbeddedMongoProcess,
} from "../src/index.ts";
import { temporaryFolder } from "./targets.ts";

const fdatasyncItself = fs.fdatasync;

/** Delays the next sync until the returned function is called. */
function holdNext(fdatasync: MockInstance<typeof fs.fdatasync>): () => void {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  fdatasync.mockImplementationOnce((fd, done) => void released.then(() => fdatasyncItself(fd, done)));
  return release;
}

/** Behavior that is specific to the embedded server. */
describe("embedded server", () => {
  let dir: string;
  let server: EmbeddedMongo | undefined;
  let client: MongoClient | undefined;

  const open = async (options: Partial<EmbeddedMongoOptions> = {}): Promise<Collection> => {
    server = await startEmbeddedMongo({ dir, ...options });
    client = await new MongoClient(server.uri).connect();
    return client.db("test").collection("things");
  };
  const close = async () => {
    await client?.close();
    await server?.close();
    client = undefined;
    server = undefined;
  };

  beforeEach(() => {
    dir = temporaryFolder();
  });
  afterEach(async () => {
    await close();
    fs.rmSync(dir, { recursive: true });
  });

  it("keeps everything across a restart", async () => {
    let things = await open();
    await things.createIndex({ n: 1 }, { unique: true });
    await things.createIndex({ s: "text" });
    await things.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, s: `word${n}` })));
    await things.updateMany({ n: { $lt: 10 } }, { $set: { x: 1 } });
    await things.deleteMany({ n: { $gte: 400 } });
    await client!.db("test").collection("old").insertOne({});
    await client!.db("test").collection("old").rename("new");
    await client!.db("test").createCollection("gone");
    await client!.db("test").dropCollection("gone");
    await close();
    things = await open();
    expect(await things.countDocuments()).toBe(400);
    expect(await things.countDocuments({ x: 1 })).toBe(10);
    expect(await things.countDocuments({ $text: { $search: "word7" } })).toBe(1);
    expect((await things.indexes()).map(({ name }) => name)).toEqual(["_id_", "n_1", "s_text"]);
    await expect(things.insertOne({ n: 5 })).rejects.toMatchObject({ code: 11000 });
    const names = await client!.db("test").listCollections().toArray();
    expect(names.map(({ name }) => name).sort((a, b) => a.localeCompare(b))).toEqual(["new", "things"]);
  });

  it("answers a majority read once all visible data is on disk, immediately if it already is", async () => {
    const things = await open({ syncIntervalMs: 3_600_000 });
    const majority = { readConcern: { level: "majority" } } as const;
    await things.insertOne({ n: 1 }, { writeConcern: { w: 1, j: true } });
    const fdatasync = vi.spyOn(fs, "fdatasync");
    try {
      expect(await things.find({}, majority).toArray()).toHaveLength(1);
      expect(fdatasync).not.toHaveBeenCalled();
      const release = holdNext(fdatasync);
      await things.insertOne({ n: 2 });
      let answered = false;
      const read = things
        .find({}, { ...majority, batchSize: 1 })
        .toArray()
        .finally(() => (answered = true));
      await expect.poll(() => fdatasync.mock.calls.length).toBe(1);
      expect(await things.countDocuments()).toBe(2);
      expect(await things.find({}, { readConcern: { level: "local" } }).toArray()).toHaveLength(2);
      expect(answered).toBe(false);
      const another = things.countDocuments({}, majority);
      await things.findOne();
      release();
      expect(await read).toHaveLength(2);
      expect(await another).toBe(2);
      expect(fdatasync).toHaveBeenCalledTimes(1);
    } finally {
      fdatasync.mockRestore();
    }
  });

  it("removes expired documents durably", async () => {
    let things = await open({ ttlIntervalMs: 50 });
    const partialFilterExpression = { kept: { $exists: true } };
    await things.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    await things.createIndex({ partial: 1 }, { expireAfterSeconds: 0, partialFilterExpression });
    await things.insertMany([
      { partial: new Date(0) },
      { partial: new Date(0), kept: false },
      { at: new Date(0) },
      { at: new Date(Date.now() + 3_600_000) },
      { at: "never" },
      {},
    ]);
    await expect.poll(() => things.countDocuments()).toBe(4);
    await close();
    things = await open();
    expect(await things.countDocuments()).toBe(4);
  });

  it("checkpoints while running, so that the log stays short", async () => {
    let things = await open({ syncIntervalMs: 20 });
    await things.createIndex({ n: 1 });
    await things.insertMany(Array.from({ length: 200 }, (_, n) => ({ n, s: "x".repeat(1000) })));
    const walBytes = async () =>
      (await client!.db("admin").command({ serverStatus: 1 }))["fanfare"].walBytes as number;
    for (let round = 0; (await walBytes()) < 8 * 1024 * 1024; round++)
      await things.updateMany({}, { $inc: { round: 1 } });
    await expect
      .poll(async () => {
        await things.updateMany({}, { $inc: { more: 1 } });
        return (await walBytes()) < 2 * 1024 * 1024;
      })
      .toBe(true);
    await close();
    expect(fs.readdirSync(dir).filter((name) => name.endsWith("-wal"))).toEqual([]);
    things = await open();
    expect(await things.countDocuments({ round: { $gt: 0 } })).toBe(200);
    expect((await things.find().toArray()).map(({ n }) => n)).toEqual(
      Array.from({ length: 200 }, (_, n) => n),
    );
  });

  it("enforces maxTimeMS, and limits the time of regular expressions", async () => {
    const things = await open();
    const s = `${"a".repeat(60)}b`;
    await things.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, s })));
    const expired = { code: 50, codeName: "MaxTimeMSExpired" };
    await expect(things.find({ s: "no" }).maxTimeMS(1).toArray()).rejects.toMatchObject(expired);
    await expect(things.countDocuments({ s: "no" }, { maxTimeMS: 1 })).rejects.toMatchObject(expired);
    await expect(things.find().sort({ s: 1 }).maxTimeMS(1).toArray()).rejects.toMatchObject(expired);
    await expect(things.updateMany({ s: "no" }, { $set: { x: 1 } }, { maxTimeMS: 1 })).rejects.toMatchObject(
      expired,
    );
    expect(await things.find({ s: "no" }).maxTimeMS(60_000).toArray()).toEqual([]);
    expect(await things.findOne({ s: /^(a+)+$/ })).toBeNull();
    await expect(things.findOne({ s: /^(a+)+\1$/ })).rejects.toMatchObject(expired);
    await things.createIndex({ n: 1 });
    await expect(
      things
        .find({ n: { $gte: 0 }, s: "no" })
        .maxTimeMS(1)
        .toArray(),
    ).rejects.toMatchObject(expired);
  });

  it("rejects writes at its size limit, but not reads and deletes", async () => {
    const things = await open({ maxDataBytes: 200_000 });
    const fill = async () => {
      for (;;) await things.insertOne({ s: "x".repeat(10_000) });
    };
    await expect(fill()).rejects.toMatchObject({
      code: 14031,
      message: expect.stringContaining("maxDataBytes"),
    });
    const count = await things.countDocuments();
    expect(count).toBeGreaterThan(10);
    await things.deleteOne({});
    await things.insertOne({ s: "x".repeat(5_000) });
    expect(await things.countDocuments()).toBe(count);
  });

  it("returns each document once across batches, with its content at the time of the batch", async () => {
    const things = await open();
    await things.insertMany(Array.from({ length: 300 }, (_, n) => ({ n, s: "x".repeat(50) })));
    const cursor = things.find({}, { projection: { _id: 0, n: 1 } }).batchSize(10);
    const first = await cursor.next();
    await things.updateMany({}, { $inc: { n: 1000 } });
    const found = [first, ...(await cursor.toArray())].map((document) => Number(document!["n"]));
    expect(found.map((n) => n % 1000)).toEqual(Array.from({ length: 300 }, (_, n) => n));
    // The first batch, and one document that is read ahead.
    expect(found.filter((n) => n < 1000)).toHaveLength(11);
  });

  it("rejects a pipeline that holds too many documents, but not one that streams them", async () => {
    const things = await open();
    const count = 1000;
    const size = Math.floor((getHeapStatistics().heap_size_limit * 0.2) / count) + 1;
    await things.insertOne({ s: "x".repeat(size), list: Array.from({ length: count }, (_, n) => n) });
    const all = (...stages: Document[]) => things.aggregate([{ $unwind: "$list" }, ...stages]).toArray();
    const error = { code: 292, message: expect.stringContaining("$match") };
    await expect(all({ $sort: { list: -1 } })).rejects.toMatchObject(error);
    await expect(all({ $group: { _id: 1, all: { $push: "$s" } } })).rejects.toMatchObject(error);
    expect(await all({ $group: { _id: 1, n: { $sum: "$list" } } })).toEqual([{ _id: 1, n: 499_500 }]);
    expect(await all({ $limit: 1 }, { $project: { _id: 0, list: 1 } })).toEqual([{ list: 0 }]);
  });

  it("rejects a second server on the folder, with folder and pid in one line", async () => {
    await open();
    const second = await startEmbeddedMongo({ dir }).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(DataFolderInUseError);
    expect((second as Error).message).toBe(`The data folder ${dir} is in use by process ${process.pid}.`);
    await expect(startEmbeddedMongoProcess({ dir })).rejects.toBeInstanceOf(DataFolderInUseError);
    await close();
    await open();
  });

  it.skipIf(process.platform === "win32")("waits for a holder of the folder that is exiting", async () => {
    const ending = net.createServer((socket) => socket.destroy()).listen(path.join(dir, "lock.sock"));
    await once(ending, "listening");
    await expect(startEmbeddedMongo({ dir })).rejects.toThrow(/in use by another process/);
    const started = open();
    ending.close();
    expect(await (await started).countDocuments()).toBe(0);
  });

  it("lets only one of many concurrent starts on a folder succeed", async () => {
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => startEmbeddedMongo({ dir })));
    const won = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const lost = starts.flatMap((start) => (start.status === "rejected" ? [start.reason as unknown] : []));
    await Promise.all(won.map((winner) => winner.close()));
    expect(won).toHaveLength(1);
    expect(lost.every((reason) => reason instanceof DataFolderInUseError)).toBe(true);
  });

  it.each([
    ["another engine", "engine.json", JSON.stringify({ engine: "mongod", format: 1 }), /mongod/],
    [
      "a newer format",
      "engine.json",
      JSON.stringify({ engine: "fanfare-embedded-mongo", format: 99 }),
      /newer version/,
    ],
    ["an unreadable mark", "engine.json", "{", /not JSON/],
    ["files of something else", "WiredTiger", "", /WiredTiger/],
  ])("rejects a folder with %s", async (_name, file, content, message) => {
    fs.writeFileSync(path.join(dir, file), content);
    const refused = await startEmbeddedMongo({ dir }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataFolderMismatchError);
    expect((refused as Error).message).toMatch(message);
    expect(fs.readFileSync(path.join(dir, file), "utf8")).toBe(content);
    fs.rmSync(path.join(dir, file));
  });

  it("starts in the root of a disk, which has lost+found", async () => {
    fs.mkdirSync(path.join(dir, "lost+found"));
    expect(await (await open()).countDocuments()).toBe(0);
  });

  it("rejects unsupported features: change streams, retryable writes, scripts, indexes with numericOrdering", async () => {
    const things = await open();
    await things.insertOne({ a: 1 });
    await expect(things.watch().next()).rejects.toMatchObject({ code: 40573 });
    const retried = { insert: things.collectionName, documents: [{ b: 1 }], txnNumber: 1n };
    await expect(things.db.command(retried)).rejects.toMatchObject({ code: 20 });
    expect(await things.countDocuments()).toBe(1);
    await expect(things.findOne({ $where: "true" })).rejects.toMatchObject({ code: 2 });
    await expect(
      things
        .aggregate([{ $project: { x: { $function: { body: "process.exit()", args: [], lang: "js" } } } }])
        .toArray(),
    ).rejects.toThrow(/function/);
    const numbers = { collation: { locale: "en", numericOrdering: true } };
    await expect(things.createIndex({ a: 1 }, numbers)).rejects.toMatchObject({ code: 72 });
    await expect(things.db.createCollection("other", numbers)).rejects.toMatchObject({ code: 72 });
    expect(await things.db.listCollections({ name: "other" }).toArray()).toEqual([]);
  });

  const collation = { locale: "en", strength: 2 };
  const run = (things: Collection, name: string, command: Document) =>
    things.db.command({ [name]: things.collectionName, ...command });
  it.each<[string, (things: Collection) => Promise<unknown>]>([
    ["find", (things) => things.find({}, { returnKey: true }).toArray()],
    ["find", (things) => things.find({}).min({ a: 1 }).hint({ a: 1 }).toArray()],
    ["count", (things) => run(things, "count", { min: { a: 1 } })],
    ["distinct", (things) => run(things, "distinct", { key: "a", limit: 1 })],
    ["aggregate", (things) => run(things, "aggregate", { pipeline: [], cursor: {}, exchange: {} })],
    ["update", (things) => run(things, "update", { updates: [{ q: {}, u: {}, limit: 1 }] })],
    ["delete", (things) => run(things, "delete", { deletes: [{ q: {}, limit: 1, multi: true }] })],
    ["findAndModify", (things) => run(things, "findAndModify", { remove: true, limit: 1 })],
    ["create", (things) => things.db.createCollection("other", { capped: true, size: 4096 })],
  ])("rejects unsupported options of %s", async (name, run) => {
    const things = await open();
    await things.insertOne({ a: 1 });
    const error = await run(things).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 72, message: expect.stringContaining(` of ${name}: `) as string });
    expect(await things.findOne({}, { collation: { locale: "simple" }, maxTimeMS: 1000 })).toMatchObject({
      a: 1,
    });
  });

  it("keeps collations across a restart, and rebuilds their indexes after a change of ICU", async () => {
    let things = await open();
    await things.db.createCollection("things", { collation });
    await things.createIndex({ s: 1 }, { unique: true });
    await things.insertMany([{ _id: "Ada" as never, s: "é" }, { s: "Zoë" }]);
    await close();
    const file = new DatabaseSync(path.join(dir, "data.sqlite"));
    for (const { number, definition } of file.prepare("SELECT number, definition FROM indexes").all()) {
      const { collation: kept, ...rest } = deserialize(definition as Uint8Array) as { collation: object };
      const outdated = serialize({ ...rest, collation: { ...kept, version: "1" } });
      file.prepare("UPDATE indexes SET definition = ? WHERE number = ?").run(outdated, number!);
      file.exec(`UPDATE x${String(number)} SET key = x'00' || key`);
    }
    file.close();
    for (let restart = 0; restart < 2; restart++) {
      things = await open();
      expect(await things.findOne({ s: "ZOË" })).toMatchObject({ s: "Zoë" });
      expect(await things.findOne({ _id: "ADA" as never })).toMatchObject({ s: "é" });
      await expect(things.insertOne({ s: "É" })).rejects.toMatchObject({ code: 11000 });
      expect(await things.indexes()).toMatchObject([
        { key: { _id: 1 }, collation: { ...collation, version: expect.stringContaining("/") as string } },
        { key: { s: 1 }, unique: true, collation },
      ]);
      await close();
    }
  });

  it("reads distinct values from a hinted index", async () => {
    const things = await open();
    await things.createIndex({ rare: 1 }, { sparse: true });
    await things.insertMany([{ n: 1 }, { n: 2, rare: true }]);
    expect(await things.distinct("n", {}, { hint: "rare_1" } as object)).toEqual([2]);
  });

  it.each<[object, number]>([
    [{ locale: "en", strength: 4 }, 72],
    [{ locale: "fr", backwards: true }, 72],
    [{ locale: "en", alternate: "shifted" }, 72],
    [{ locale: "en", caseLevel: true }, 72],
    [{ strength: 1 }, 9],
    [{ locale: "?" }, 2],
  ])("rejects the collation %j", async (refused, code) => {
    const things = await open();
    await things.insertOne({ a: 1 });
    await expect(things.findOne({}, { collation: refused as never })).rejects.toMatchObject({ code });
    await expect(
      things.updateOne({}, { $set: { a: 2 } }, { collation: refused as never }),
    ).rejects.toMatchObject({ code });
  });

  it.each([
    [{ $bucketAuto: { groupBy: "$a", buckets: 2 } }],
    [{ $setWindowFields: { sortBy: { a: 1 }, output: { n: { $documentNumber: {} } } } }],
  ])("rejects a collation for %j", async (stage) => {
    const things = await open();
    await things.insertOne({ a: 1 });
    await expect(things.aggregate([stage], { collation }).toArray()).rejects.toMatchObject({ code: 72 });
  });

  it("rejects the read concern snapshot", async () => {
    const things = await open();
    await expect(things.findOne({}, { readConcern: { level: "snapshot" } })).rejects.toMatchObject({
      code: 123,
    });
  });

  it("listens on loopback only", async () => {
    await expect(startEmbeddedMongo({ dir, listen: { host: "0.0.0.0", port: 0 } })).rejects.toThrow(
      /loopback/,
    );
    const things = await open({ listen: { port: 0 } });
    expect(server!.uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\//);
    expect(await things.countDocuments()).toBe(0);
  });

  it("rejects options out of range by name", async () => {
    await expect(startEmbeddedMongo({ dir, maxDataBytes: -1 })).rejects.toThrow(/maxDataBytes/);
    await expect(
      startEmbeddedMongo({ dir, listen: { socketPath: `/tmp/${"x".repeat(120)}` } }),
    ).rejects.toThrow(/socket path/);
  });

  it.each([
    ["an impossible length", Buffer.from([255, 255, 255, 127, 1, 0, 0, 0, 0, 0, 0, 0, 221, 7, 0, 0])],
    ["an unknown operation", Buffer.from([16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0])],
    [
      "a broken body",
      Buffer.from([26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 221, 7, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 0, 1]),
    ],
    ["text", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ])("closes a connection that sends %s, and serves the others", async (_name, bytes) => {
    const things = await open({ listen: { port: 0 } });
    const socket = net.connect(Number(new URL(server!.uri).port), "127.0.0.1", () => socket.write(bytes));
    await new Promise((resolve) => socket.on("close", resolve));
    expect(await things.countDocuments()).toBe(0);
  });

  it("closes idle cursors", async () => {
    const things = await open({ cursorTimeoutMs: 50, ttlIntervalMs: 20 });
    await things.insertMany(Array.from({ length: 10 }, (_, n) => ({ n })));
    const cursor = things.find().batchSize(2);
    await cursor.next();
    await expect
      .poll(async () => (await client!.db("test").admin().serverStatus())["metrics"].cursor.open.total)
      .toBe(0);
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 43 });
  });

  describe("in a child process", () => {
    it("serves, closes and reports the close", async () => {
      const remote = await startEmbeddedMongoProcess({ dir });
      const ended = new Promise((resolve) => remote.onExit(resolve));
      const other = await new MongoClient(remote.uri).connect();
      await other.db("test").collection("things").insertOne({ a: 1 });
      await other.close();
      await remote.close();
      expect(await ended).toBeUndefined();
      expect(await (await open()).countDocuments()).toBe(1);
    });
    it("reports startup errors", async () => {
      fs.writeFileSync(path.join(dir, "engine.json"), JSON.stringify({ engine: "other" }));
      await expect(startEmbeddedMongoProcess({ dir })).rejects.toBeInstanceOf(DataFolderMismatchError);
    });
  });

  it("in a child process, exits when its owner is killed and releases the folder", async () => {
    const index = new URL("../src/index.ts", import.meta.url).href;
    const script = `import { startEmbeddedMongoProcess } from ${JSON.stringify(index)};
      await startEmbeddedMongoProcess({ dir: ${JSON.stringify(dir)} });
      console.log("ready");`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(owner.stdout, "data");
    await expect(startEmbeddedMongo({ dir })).rejects.toBeInstanceOf(DataFolderInUseError);
    owner.kill("SIGKILL");
    const retry = () => startEmbeddedMongo({ dir }).then((started) => (server = started).uri);
    await expect.poll(() => retry().catch(() => undefined)).toMatch(/^mongodb:/);
  });

  it("reports to its owner that the child process was killed", async () => {
    const remote = await startEmbeddedMongoProcess({ dir });
    const ended = new Promise<Error | undefined>((resolve) => remote.onExit(resolve));
    const other = await new MongoClient(remote.uri).connect();
    const { pid } = await other.db("admin").command({ serverStatus: 1 });
    await other.close();
    process.kill(Number(pid), "SIGKILL");
    expect((await ended)?.message).toMatch(/SIGKILL/);
    await remote.close();
    expect(await (await open()).countDocuments()).toBe(0);
  });
});
