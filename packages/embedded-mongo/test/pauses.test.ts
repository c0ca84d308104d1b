import fs from "node:fs";
import path from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EmbeddedMongo, type EmbeddedMongoOptions, startEmbeddedMongo } from "../src/index.ts";
import type { PlainObject } from "../src/values/types.ts";
import { toPlain } from "../src/values/plain.ts";
import { temporaryFolder } from "./targets.ts";
import { WireClient } from "./wire-client.ts";

const COUNT = 12_000;
const GROUPS = 10;

/** Time that advances with every read of the clock, so that commands pause equally often on every machine. */
const MS_PER_LOOK = 4;

const fdatasyncItself = fs.fdatasync;

type Command = PlainObject;

/** A sent command, and whether it was answered. */
class Sent {
  isAnswered = false;
  readonly reply: Promise<PlainObject>;
  constructor(reply: Promise<PlainObject>) {
    this.reply = reply.finally(() => (this.isAnswered = true));
    this.reply.catch(() => {});
  }
}

describe("long commands", () => {
  let dir: string;
  let server: EmbeddedMongo;
  let clients: WireClient[];
  /** Sends the long commands. */
  let one: WireClient;
  let other: WireClient;

  const connect = async () => {
    const client = await WireClient.connect(Number(new URL(server.uri).port));
    clients.push(client);
    return client;
  };
  const open = async (options: Partial<EmbeddedMongoOptions> = {}) => {
    server = await startEmbeddedMongo({ dir, listen: { port: 0 }, ...options });
    clients = [];
    [one, other] = [await connect(), await connect()];
  };
  const close = async () => {
    for (const client of clients) client.close();
    await server.close();
  };

  const run = async (client: WireClient, command: Command): Promise<PlainObject> =>
    toPlain(await client.command("test", command)) as PlainObject;
  const send = (command: Command, client = one) => new Sent(run(client, command));
  const count = async (query: Command = {}) => Number((await run(other, { count: "things", query }))["n"]);
  const documents = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => {
      const n = from + i;
      return { _id: n, n, back: COUNT - n, group: n % GROUPS, text: "x".repeat(20) };
    });
  const insert = (from: number, to: number, client = other) =>
    run(client, { insert: "things", documents: documents(from, to) });
  const operations = async (): Promise<PlainObject[]> => {
    const { inprog } = await run(other, { currentOp: 1 });
    return inprog as PlainObject[];
  };
  /** Sends a long command and waits until it is paused. */
  const pausedCommand = async (command: Command, client = one): Promise<Sent> => {
    const sent = send(command, client);
    while ((await operations()).length === 0) if (sent.isAnswered) throw new Error("it was not paused");
    return sent;
  };
  const allOf = async (find: Command): Promise<PlainObject[]> => {
    const reply = await run(other, { ...find, batchSize: 2 * COUNT });
    return (reply["cursor"] as { firstBatch: PlainObject[] }).firstBatch;
  };

  beforeEach(async () => {
    dir = temporaryFolder();
    await open();
    await insert(0, COUNT);
    let clockMs = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => (clockMs += MS_PER_LOOK));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await close();
    fs.rmSync(dir, { recursive: true });
  });

  const find = (options: Command) => ({ find: "things", batchSize: 3, ...options });
  const aggregate = (...pipeline: Command[]) => ({ aggregate: "things", pipeline, cursor: {} });

  it.each<[string, Command, (reply: any) => unknown, unknown]>([
    ["a scan", find({ filter: { text: "y" } }), ({ cursor }) => cursor.firstBatch, []],
    [
      "a sort",
      find({ sort: { back: 1 }, projection: { n: 1 } }),
      ({ cursor }) => cursor.firstBatch.map(({ n }: { n: number }) => n),
      [COUNT - 1, COUNT - 2, COUNT - 3],
    ],
    [
      "a sort with a limit",
      find({ sort: { back: 1 }, limit: 2, projection: { n: 1 } }),
      ({ cursor }) => cursor.firstBatch.map(({ n }: { n: number }) => n),
      [COUNT - 1, COUNT - 2],
    ],
    [
      "a natural sort",
      find({ sort: { $natural: -1 } }),
      ({ cursor }) => cursor.firstBatch.map(({ n }: { n: number }) => n),
      [COUNT - 1, COUNT - 2, COUNT - 3],
    ],
    ["a count", { count: "things", query: { group: { $lt: 5 } } }, ({ n }) => n, COUNT / 2],
    [
      "distinct",
      { distinct: "things", key: "group" },
      ({ values }) => values,
      Array.from({ length: GROUPS }, (_, i) => i),
    ],
    [
      "$group",
      aggregate({ $group: { _id: "$group", n: { $sum: 1 }, ids: { $max: "$n" } } }, { $sort: { _id: 1 } }),
      ({ cursor }) => [cursor.firstBatch.length, cursor.firstBatch[1]],
      [GROUPS, { _id: 1, n: COUNT / GROUPS, ids: COUNT - 9 }],
    ],
    [
      "$match behind $project",
      aggregate({ $project: { n: { $add: ["$n", 1] } } }, { $match: { n: COUNT } }),
      ({ cursor }) => cursor.firstBatch,
      [{ _id: COUNT - 1, n: COUNT }],
    ],
    [
      "$facet",
      aggregate({ $facet: { some: [{ $sort: { back: 1 } }, { $limit: 1 }], all: [{ $count: "n" }] } }),
      ({ cursor }) => [cursor.firstBatch[0].some[0].n, cursor.firstBatch[0].all],
      [COUNT - 1, [{ n: COUNT }]],
    ],
    [
      "$lookup",
      aggregate(
        { $match: { _id: 5 } },
        { $lookup: { from: "things", localField: "n", foreignField: "back", as: "found" } },
        { $project: { "found.n": 1 } },
      ),
      ({ cursor }) => cursor.firstBatch,
      [{ _id: 5, found: [{ n: COUNT - 5 }] }],
    ],
    [
      "updateMany",
      { update: "things", updates: [{ q: { group: 3 }, u: { $inc: { n: 1 } }, multi: true }] },
      ({ n, nModified }) => [n, nModified],
      [COUNT / GROUPS, COUNT / GROUPS],
    ],
    [
      "an update of one by a scan",
      { update: "things", updates: [{ q: { back: 1 }, u: { $set: { n: 0 } } }] },
      ({ nModified }) => nModified,
      1,
    ],
    [
      "findAndModify with a sort",
      { findAndModify: "things", query: {}, sort: { back: 1 }, remove: true },
      ({ value }) => value.n,
      COUNT - 1,
    ],
    [
      "deleteMany",
      { delete: "things", deletes: [{ q: { group: 3 }, limit: 0 }] },
      ({ n }) => n,
      COUNT / GROUPS,
    ],
    [
      "an index build",
      { createIndexes: "things", indexes: [{ key: { n: 1 }, name: "n_1" }] },
      ({ numIndexesAfter }) => numIndexesAfter,
      2,
    ],
    ["$out", aggregate({ $match: { group: 3 } }, { $out: "copy" }), ({ cursor }) => cursor.firstBatch, []],
  ])("%s lets others go first", async (_, command, resultOf, expected) => {
    const sent = await pausedCommand(command);
    for (let i = 0; i < 3; i++) await run(other, { ping: 1 });
    expect(sent.isAnswered).toBe(false);
    expect(resultOf(await sent.reply)).toEqual(expected);
    expect(await operations()).toEqual([]);
  });

  it("an insert of many documents lets other commands run first", async () => {
    const sent = await pausedCommand({ insert: "more", documents: documents(0, 5_000) });
    expect(sent.isAnswered).toBe(false);
    expect(await sent.reply).toMatchObject({ n: 5_000, ok: 1 });
  });

  it("several take turns", async () => {
    const long = await pausedCommand({ count: "things", query: { text: "y" } });
    const short = send({ count: "things", query: { text: "y" }, maxTimeMS: 0 }, await connect());
    const least = send({ find: "things", filter: { text: "y" }, limit: 1, batchSize: 1 }, await connect());
    while ((await operations()).length < 3) expect(long.isAnswered).toBe(false);
    await Promise.all([long.reply, short.reply, least.reply]);
  });

  it("the commands of one connection are answered in order", async () => {
    const replies = await Promise.all([
      run(one, { count: "things", query: { group: 1 } }),
      run(one, { count: "things", query: {} }),
      run(one, { ping: 1 }),
    ]);
    expect(replies.map(({ n }) => n)).toEqual([COUNT / GROUPS, COUNT, undefined]);
  });

  it("the first batch of a find only reads that batch", async () => {
    const read = vi.spyOn(StatementSync.prototype, "all");
    await run(one, { find: "things", batchSize: 10 });
    const rows = read.mock.results.map(({ value }) => (value as unknown[]).length);
    expect(Math.max(...rows)).toBeLessThan(100);
  });

  it("maxTimeMS includes pauses", async () => {
    const sent = await pausedCommand({ count: "things", query: { text: "y" }, maxTimeMS: 200 });
    expect(await sent.reply).toMatchObject({ ok: 0, code: 50 });
  });

  it("a closed connection ends its command, and killOp any command", async () => {
    const remove = { delete: "things", deletes: [{ q: {}, limit: 0 }] };
    await pausedCommand(remove);
    one.close();
    while ((await operations()).length > 0) await turn();
    const left = await count();
    expect(left).toBeGreaterThan(0);
    expect(await count()).toBe(left);

    const sent = await pausedCommand(remove, await connect());
    const [{ opid }] = (await operations()) as [PlainObject];
    await run(other, { killOp: 1, op: opid });
    expect(await sent.reply).toMatchObject({ ok: 0, code: 11601 });
    expect(await count()).toBeGreaterThan(0);
  });

  it("a cursor that is being read can be killed but not read concurrently", async () => {
    const { cursor } = (await run(one, find({ batchSize: 1 }))) as { cursor: { id: number } };
    const getMore = { getMore: cursor.id, collection: "things" };
    const sent = await pausedCommand(getMore);
    expect(await run(other, getMore)).toMatchObject({ ok: 0, code: 143 });
    expect(await run(other, { killCursors: "things", cursors: [cursor.id] })).toMatchObject({
      cursorsKilled: [cursor.id],
    });
    expect(await sent.reply).toMatchObject({ ok: 0, code: 237 });
    expect(await run(other, getMore)).toMatchObject({ ok: 0, code: 43 });
  });

  it("dropping an index or collection ends commands that are reading it", async () => {
    await run(other, { createIndexes: "things", indexes: [{ key: { n: 1 }, name: "n_1" }] });
    const byIndex = await pausedCommand({ count: "things", query: { n: { $gte: 0 }, text: "y" } });
    await run(other, { dropIndexes: "things", index: "n_1" });
    expect(await byIndex.reply).toMatchObject({ ok: 0, code: 175 });
    for (const command of [
      { count: "things", query: { text: "y" } },
      { delete: "things", deletes: [{ q: {}, limit: 0 }] },
      { createIndexes: "things", indexes: [{ key: { n: 1 }, name: "n_1" }] },
    ]) {
      const sent = await pausedCommand(command);
      await run(other, { drop: "things" });
      const reply = await sent.reply;
      expect(reply["writeErrors"] ?? [reply]).toMatchObject([{ code: 175 }]);
      await insert(0, COUNT);
    }
  });

  it("a scan returns each remaining document exactly once, with its current content", async () => {
    const sent = await pausedCommand(find({ filter: { text: { $ne: "y" } }, batchSize: 2 * COUNT }));
    await run(other, { delete: "things", deletes: [{ q: { _id: { $gte: COUNT - 100 } }, limit: 0 }] });
    await run(other, { delete: "things", deletes: [{ q: { _id: { $lt: 10 } }, limit: 0 }] });
    const changed = {
      q: { _id: { $in: [0, 50, COUNT - 200] } },
      u: { $set: { n: -1, text: "z".repeat(500) } },
    };
    await run(other, { update: "things", updates: [{ ...changed, multi: true }] });
    await insert(COUNT, COUNT + 10);
    expect(sent.isAnswered).toBe(false);
    const found = ((await sent.reply)["cursor"] as { firstBatch: PlainObject[] }).firstBatch;
    const ids = found.map(({ _id }) => Number(_id));
    expect(ids.filter((id) => id >= 10)).toEqual([
      ...Array.from({ length: COUNT - 110 }, (_, i) => i + 10),
      ...Array.from({ length: 10 }, (_, i) => COUNT + i),
    ]);
    expect(found.find(({ _id }) => _id === COUNT - 200)).toMatchObject({ n: -1 });
  });

  it("updateMany changes no document twice, and none that no longer matches", async () => {
    await run(other, { createIndexes: "things", indexes: [{ key: { n: 1 }, name: "n_1" }] });
    const update = { q: { n: { $gte: 0 } }, u: { $inc: { n: COUNT } }, multi: true };
    const sent = await pausedCommand({ update: "things", updates: [update] });
    // It has found the matching documents and starts to change them.
    while ((await count({ n: { $gte: COUNT } })) === 0) expect(sent.isAnswered).toBe(false);
    const late = { _id: { $gte: COUNT - 10 } };
    await run(other, { update: "things", updates: [{ q: late, u: { $set: { n: -5 } }, multi: true }] });
    await run(other, { delete: "things", deletes: [{ q: { _id: COUNT - 20 }, limit: 1 }] });
    expect(sent.isAnswered).toBe(false);
    expect(await sent.reply).toMatchObject({ n: COUNT - 11, nModified: COUNT - 11 });
    const found = await allOf({ find: "things", sort: { _id: 1 } });
    expect(found).toHaveLength(COUNT - 1);
    for (const { _id, n } of found) expect(n).toBe(Number(_id) >= COUNT - 10 ? -5 : Number(_id) + COUNT);
  });

  it("updateMany that fails midway keeps its earlier changes", async () => {
    await run(other, {
      createIndexes: "things",
      indexes: [{ key: { u: 1 }, name: "u", unique: true, sparse: true }],
    });
    await run(other, {
      update: "things",
      updates: [{ q: { _id: COUNT - 5 }, u: { $set: { u: COUNT - 6 } } }],
    });
    const update = { q: { _id: { $ne: COUNT - 5 } }, u: [{ $set: { u: "$n" } }], multi: true };
    const sent = await pausedCommand({ update: "things", updates: [update] });
    expect(await sent.reply).toMatchObject({ ok: 1, n: 0, writeErrors: [{ code: 11000 }] });
    expect(await count({ u: { $exists: true } })).toBe(COUNT - 5);
  });

  it("changes are committed in parts, even if no other command arrives", async () => {
    const database = new DatabaseSync(path.join(dir, "data.sqlite"), { readOnly: true });
    const committed = database.prepare("SELECT documents FROM collections WHERE name = 'things'");
    const sent = send({ delete: "things", deletes: [{ q: {}, limit: 0 }] });
    const parts = new Set<unknown>();
    while (!sent.isAnswered) {
      parts.add(committed.get()?.["documents"]);
      await turn();
    }
    database.close();
    expect(parts.size).toBeGreaterThan(10);
  });

  it("j: true is answered once all changes are on disk", async () => {
    const held: (() => void)[] = [];
    const fdatasync = vi.spyOn(fs, "fdatasync");
    const update = { q: {}, u: { $inc: { n: 1 } }, multi: true };
    const sent = await pausedCommand({
      update: "things",
      updates: [update],
      writeConcern: { w: 1, j: true },
    });
    fdatasync.mockImplementation((fd, done) => void held.push(() => fdatasyncItself(fd, done)));
    while ((await operations()).length > 0) held.shift()?.();
    for (let i = 0; i < 10; i++) await run(other, { ping: 1 });
    expect(sent.isAnswered).toBe(false);
    fdatasync.mockRestore();
    for (const sync of held) sync();
    expect(await sent.reply).toMatchObject({ nModified: COUNT });
  });

  it("j: true: writes that arrive during a sync share a transaction, which a read commits", async () => {
    const database = new DatabaseSync(path.join(dir, "data.sqlite"));
    const isOpen = () => {
      try {
        database.exec("BEGIN IMMEDIATE; ROLLBACK");
        return false;
      } catch {
        return true;
      }
    };
    const lastCommit = database.prepare("SELECT number FROM lastCommit");
    const held: (() => void)[] = [];
    const fdatasync = vi.spyOn(fs, "fdatasync");
    fdatasync.mockImplementation((fd, done) => void held.push(() => fdatasyncItself(fd, done)));
    const insertSynced = (_id: number, client: WireClient) =>
      send({ insert: "things", documents: [{ _id }], writeConcern: { w: 1, j: true } }, client);

    const sent: Sent[] = [];
    try {
      sent.push(insertSynced(-1, one));
      while (held.length === 0) await turn();
      expect(isOpen()).toBe(false);
      const commit = lastCommit.get();
      sent.push(insertSynced(-2, other));
      while (!isOpen()) {
        await turn();
        expect(lastCommit.get()).toEqual(commit);
      }
      for (let i = 0; i < 10; i++) await turn();
      expect(isOpen()).toBe(true);
      const reader = await connect();
      expect(await run(reader, { count: "things" })).toMatchObject({ n: COUNT + 2 });
      expect(isOpen()).toBe(false);
      expect(sent.map(({ isAnswered }) => isAnswered)).toEqual([false, false]);
    } finally {
      fdatasync.mockRestore();
      for (const sync of held) sync();
      database.close();
    }
    expect(await Promise.all(sent.map(({ reply }) => reply))).toMatchObject([{ n: 1 }, { n: 1 }]);
  });

  it("a full disk ends the command; earlier changes stay and counts are correct", async () => {
    await close();
    const { size } = fs.statSync(path.join(dir, "data.sqlite"));
    await open({ maxDataBytes: size + 1024 * 1024 });
    const reader = find({ filter: { text: { $ne: "y" } }, batchSize: COUNT });
    const update = { q: {}, u: { $set: { more: "y".repeat(500) } }, multi: true };
    const sent = await pausedCommand({ update: "things", updates: [update] });
    const reading = send(reader, await connect());
    const reply = await sent.reply;
    expect(reply["writeErrors"] ?? [reply]).toMatchObject([{ code: 14031 }]);
    expect((await reading.reply)["cursor"]).toMatchObject({ firstBatch: { length: COUNT } });
    const changed = await count({ more: { $exists: true } });
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThan(COUNT);
    await run(other, { delete: "things", deletes: [{ q: { more: { $exists: true } }, limit: 0 }] });
    expect(await count()).toBe(COUNT - changed);
    expect(await count({ n: { $gte: 0 } })).toBe(COUNT - changed);
  });

  it("a paused command doesn't continue with counts that were rolled back", async () => {
    await close();
    const { size } = fs.statSync(path.join(dir, "data.sqlite"));
    await open({ maxDataBytes: size + 1024 * 1024 });
    const sent = await pausedCommand({ delete: "things", deletes: [{ q: {}, limit: 0 }] });
    while ((await count()) === COUNT) expect(sent.isAnswered).toBe(false);
    const large = { insert: "things", documents: [{ text: "x".repeat(8 * 1024 * 1024) }] };
    expect(await run(other, large)).toMatchObject({ ok: 0, code: 14031 });
    const { n, writeErrors } = await sent.reply;
    expect(writeErrors).toMatchObject([{ code: 175 }]);
    const left = await count();
    // The failed insert rolled back none of its changes.
    expect(left).toBe(COUNT - Number(n));
    expect(left).toBeGreaterThan(0);
    expect(await count({ n: { $gte: 0 } })).toBe(left);
  });

  describe("an index build", () => {
    const build = (name: string, key: Command, options: Command = {}) => ({
      createIndexes: "things",
      indexes: [{ key, name, ...options }],
    });
    const names = async () => {
      const { cursor } = (await run(other, { listIndexes: "things" })) as {
        cursor: { firstBatch: PlainObject[] };
      };
      return cursor.firstBatch.map(({ name }) => name);
    };

    const INDEXES = [
      { kind: "unique", key: { n: 1 }, options: { unique: true }, tags: [] },
      { kind: "multikey", key: { list: 1, n: -1 }, options: {}, tags: "long" },
    ];
    for (const { kind, key, options, tags } of INDEXES)
      it(`keeps up with changes during its pauses, ${kind}`, { tags }, async () => {
        const sent = await pausedCommand(build("new", key, options));
        const set = (_id: number, fields: Command) => ({ q: { _id }, u: { $set: fields } });
        await run(other, {
          update: "things",
          updates: [set(0, { n: -1 }), set(1, { list: [1, 2] }), set(COUNT - 1, { n: -2, list: [1, 3] })],
        });
        await run(other, { delete: "things", deletes: [{ q: { _id: { $in: [2, COUNT - 2] } }, limit: 0 }] });
        await insert(COUNT, COUNT + 5);
        await run(other, { update: "things", updates: [set(5, { n: 2 })] });
        expect(sent.isAnswered).toBe(false);
        expect(await sent.reply).toMatchObject({ ok: 1 });
        expect(await names()).toEqual(["_id_", "new"]);
        const field = Object.keys(key)[0]!;
        const all = await allOf({ find: "things", filter: {}, sort: { $natural: 1 } });
        for (const range of [{ $lt: 10 }, { $gte: COUNT - 10 }, { $exists: true }]) {
          const found = await allOf({ find: "things", filter: { [field]: range }, sort: { _id: 1 } });
          const scanned = await allOf({ find: "things", filter: { $nor: [{ $nor: [{ [field]: range }] }] } });
          expect(found).toEqual(scanned);
        }
        expect(all).toHaveLength(COUNT + 3);
      });

    it("writes the entries of many long keys in several steps", async () => {
      const long = "x".repeat(100_000);
      const place = (i: number) => `${(i * 7) % 1_000}`.padStart(3, "0");
      for (let from = 0; from < 400; from += 100)
        await run(other, {
          insert: "things",
          documents: Array.from({ length: 100 }, (_, i) => ({
            _id: `k${from + i}`,
            key: place(from + i) + long,
          })),
        });
      const sent = await pausedCommand(build("key", { key: 1 }));
      for (let i = 0; !sent.isAnswered; i++) {
        await run(other, { delete: "things", deletes: [{ q: { _id: `k${(i * 50) % 400}` }, limit: 1 }] });
        await run(other, { insert: "things", documents: [{ _id: `k${400 + i}`, key: place(400 + i) }] });
      }
      expect(await sent.reply).toMatchObject({ ok: 1 });
      const left = await count({ _id: { $gte: "k", $lt: "l" } });
      const found = await allOf({
        find: "things",
        filter: { key: { $gt: "" } },
        sort: { key: 1 },
        projection: { _id: 1 },
      });
      const places = found.map(({ _id }) => place(Number(String(_id).slice(1))));
      expect(places).toEqual(places.toSorted());
      expect(places).toHaveLength(left);
    });

    it("fails if a duplicate is inserted concurrently; the insert succeeds", async () => {
      const sent = await pausedCommand(build("new", { n: 1 }, { unique: true }));
      expect(await run(other, { insert: "things", documents: [{ n: 5 }] })).toMatchObject({ n: 1, ok: 1 });
      expect(await sent.reply).toMatchObject({ ok: 0, code: 11000 });
      expect(await names()).toEqual(["_id_"]);
    });

    it("fails if a document is concurrently updated to a duplicate; that update succeeds, later ones fail", async () => {
      const duplicate = { update: "things", updates: [{ q: { _id: 1 }, u: { $set: { n: 0 } } }] };
      const sent = await pausedCommand(build("new", { n: 1 }, { unique: true }));
      expect(await run(other, duplicate)).toMatchObject({ nModified: 1, ok: 1 });
      expect(await sent.reply).toMatchObject({ ok: 0, code: 11000 });
      await run(other, { update: "things", updates: [{ q: { _id: 1 }, u: { $set: { n: 1 } } }] });
      expect(await run(one, build("new", { n: 1 }, { unique: true }))).toMatchObject({ ok: 1 });
      expect(await run(other, duplicate)).toMatchObject({ writeErrors: [{ code: 11000 }] });
    });

    it("waits for another build of the same index, and is ended by dropIndexes", async () => {
      const first = await pausedCommand(build("new", { n: 1 }));
      const second = send(build("new", { n: 1 }), await connect());
      expect(await first.reply).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 2 });
      expect(await second.reply).toMatchObject({ numIndexesAfter: 2, note: "all indexes already exist" });
      const third = await pausedCommand(build("next", { back: 1 }));
      await run(other, { dropIndexes: "things", index: "*" });
      expect(await third.reply).toMatchObject({ ok: 0, code: 276 });
      expect(await names()).toEqual(["_id_"]);
    });

    it("leaves nothing behind after a disconnect or a crash", async () => {
      const killed = temporaryFolder();
      await pausedCommand(build("new", { n: 1 }));
      for (const name of fs.readdirSync(dir))
        if (/^(data|engine)/.test(name)) fs.copyFileSync(path.join(dir, name), path.join(killed, name));
      one.close();
      while ((await operations()).length > 0) await turn();
      expect(leftIn(dir)).toEqual([]);

      expect(leftIn(killed)).toHaveLength(2);
      const restarted = await startEmbeddedMongo({ dir: killed });
      await restarted.close();
      expect(leftIn(killed)).toEqual([]);
      fs.rmSync(killed, { recursive: true });
    });

    /** The indexes and their tables. */
    function leftIn(folder: string): unknown[] {
      const database = new DatabaseSync(path.join(folder, "data.sqlite"));
      const indexes = database.prepare("SELECT * FROM indexes").all();
      const tables = database.prepare("SELECT * FROM sqlite_schema WHERE name GLOB 'x[0-9]*'").all();
      database.close();
      return [...indexes, ...tables];
    }
  });
});
