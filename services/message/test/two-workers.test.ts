import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongoWorker, type SupervisedMongo } from "@fanfare/embedded-mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { PendingBatch } from "../src/channel-head.model.ts";
import { PENDING_MAX_AGE_MS } from "../src/limits.ts";
import { ChannelReader, readAll } from "./channel-reader.ts";
import { startMessageNode, type MessageNode, type Published } from "./message-node.ts";

// Two processes may write one channel at the same time, and one may die between taking numbers and storing messages.

let dir: string;
let database: SupervisedMongo;
let workers: [MessageNode, MessageNode];
let channelId: string;
let channels = 0;

const userId = "a".repeat(24);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-workers-"));
  database = await startEmbeddedMongoWorker({ dir: join(dir, "db"), listen: { port: 0 } });
  const env = { MONGO_URL: database.uri, DATA_DIR: dir };
  workers = [await startMessageNode(env), await startMessageNode(env)];
});
afterAll(async () => {
  for (const worker of workers ?? []) await worker.stop();
  await database?.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  channelId = `cccc${(channels += 1).toString(16).padStart(20, "0")}`;
  for (const { published } of workers) published.length = 0;
});

const send = (worker: MessageNode, content: string) =>
  worker.as(userId, "message.send", { channelId, content, nonce: content });

interface Head {
  rev: number;
  seq: number;
  pending: Record<string, PendingBatch>;
}

function heads(worker: MessageNode) {
  const { database } = worker.node;
  return { collection: database.collection<Head & { _id: never }>("channelHeads"), id: objectId(database) };
}

function objectId({ base }: Connection): never {
  return new base.Types.ObjectId(channelId) as never;
}

/** Takes numbers as a worker does that is killed before it stores its messages. */
async function takeAndDie(worker: MessageNode, count: number, at: Date): Promise<number[]> {
  const { collection, id } = heads(worker);
  const before = await collection.findOne({ _id: id });
  const { rev, seq } = { rev: (before?.rev ?? 0) + 1, seq: (before?.seq ?? 0) + 1 };
  await collection.updateOne(
    { _id: id },
    {
      $inc: { seq: count, rev: count },
      $set: { "pending.dead-1": { rev, count, seq, messages: count, at } } as never,
    },
  );
  return Array.from({ length: count }, (_, i) => rev + i);
}

/** The events of both workers as a client may get them: mixed, some late, some twice, some never. */
function badNetwork(published: Published[][], random: () => number): Published[] {
  const queues = published.map((events) => [...events]);
  const arrived: Published[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const queue = queues[Math.floor(random() * queues.length)]!;
    const event = queue.splice(Math.floor(random() * Math.min(3, queue.length)), 1)[0];
    if (event === undefined || random() < 0.1) continue;
    arrived.push(event);
    if (random() < 0.1) arrived.push(event);
  }
  return arrived;
}

function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("two workers on one channel: no number twice, and every message once", async () => {
  const sends = Array.from({ length: 400 }, (_, i) => send(workers[i % 2]!, `${i}`));
  const answered = (await Promise.all(sends)).map(({ message }) => message);
  const stored = await readAll(workers[0], userId, channelId);
  expect(answered.sort((a, b) => a.seq - b.seq)).toEqual(stored);
  expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  expect(stored.map(({ rev }) => rev)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  // Each worker strikes its finished batches off, however often the other one was faster.
  const { collection, id } = heads(workers[0]);
  expect(Object.keys((await collection.findOne({ _id: id }))?.pending ?? {})).toHaveLength(2);
});

test("the same nonce at both workers makes one message", async () => {
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, (_, i) => send(workers[0], `${i}`)),
    ...Array.from({ length: 20 }, (_, i) => send(workers[1], `${i}`)),
  ]);
  expect(new Set(answers.map(({ message }) => message.id)).size).toBe(20);
  expect(await readAll(workers[1], userId, channelId)).toHaveLength(20);
});

test("a reader that begins anywhere and hears through a bad network ends exact", async () => {
  const readers: ChannelReader[] = [];
  const from: number[][] = [];
  const writing = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; i < 20; i++) {
      const worker = workers[(writer + i) % 2]!;
      const { message } = await send(worker, `${writer}/${i}`);
      const one = { channelId, messageId: message.id };
      if (i % 5 === 0) await worker.as(userId, "message.edit", { ...one, content: `edited by ${writer}` });
      if (i % 7 === 0) await worker.as(userId, "message.delete", one);
      if (i % 6 !== 0) continue;
      const reader = new ChannelReader(workers[(i / 6) % 2]!, userId, channelId);
      from.push(workers.map(({ published }) => published.length));
      readers.push(reader);
      await reader.load();
    }
  });
  await Promise.all(writing);
  const stored = await readAll(workers[0], userId, channelId);
  expect(readers.length).toBe(32);
  for (const [i, reader] of readers.entries()) {
    const random = pseudoRandom(i + 1);
    const events = workers.map(({ published }, w) => published.slice(from[i]![w]));
    for (const { name, payload } of badNetwork(events, random)) {
      reader.hear(name, payload);
      if (reader.mustSync && random() < 0.1) await reader.sync();
    }
    // As on a reconnect: the last event may be the one that was lost.
    for (let asked = 0; asked === 0 || reader.mustSync; asked++) expect(await reader.sync()).toBe("ok");
    const firstSeq = reader.copy[0]!.seq;
    expect(reader.copy).toEqual(stored.filter(({ seq }) => seq >= firstSeq));
  }
});

test("numbers of a dead worker are missing until a write must have ended, then they are holes", async () => {
  await send(workers[0], "before");
  const taken = await takeAndDie(workers[0], 3, new Date());
  await send(workers[1], "after");
  const reader = new ChannelReader(workers[0], userId, channelId);
  await reader.load();
  expect([...reader.missing]).toEqual(taken);
  await reader.sync();
  expect([...reader.missing]).toEqual(taken);

  const { collection, id } = heads(workers[0]);
  const late = new Date(Date.now() - PENDING_MAX_AGE_MS - 1);
  await collection.updateOne({ _id: id }, { $set: { "pending.dead-1.at": late } as never });
  expect(await reader.sync()).toBe("ok");
  expect(reader.mustSync).toBe(false);
  expect(reader.copy.map(({ content }) => content)).toEqual(["before", "after"]);
  expect(reader.copy.map(({ seq }) => seq)).toEqual([1, 5]);
});

test("a message that is stored after others with higher numbers reaches those who were past it", async () => {
  await send(workers[0], "before");
  const [rev] = await takeAndDie(workers[0], 1, new Date());
  await send(workers[1], "after");
  const reader = new ChannelReader(workers[1], userId, channelId);
  await reader.load();
  expect(reader.rev).toBe(3);
  const { database } = workers[0].node;
  await database.collection("messages").insertOne({
    channelId: objectId(database),
    seq: 2,
    rev,
    authorId: new database.base.Types.ObjectId(userId),
    content: "late",
    replyTo: null,
    nonce: "late",
    createdAt: new Date(),
    editedAt: null,
    deletedAt: null,
  });
  expect(await reader.sync()).toBe("ok");
  expect(reader.copy.map(({ content }) => content)).toEqual(["before", "late", "after"]);
  expect(reader.mustSync).toBe(false);
});

test("a message whose worker died before it told anybody is published when its sender repeats it", async () => {
  for (const resend of [false, true]) {
    const { message } = await send(workers[0], `${resend}`);
    const { content, nonce } = message;
    workers[1].published.length = 0;
    const repeated = await workers[1].as(userId, "message.send", { channelId, content, nonce, resend });
    expect(repeated).toEqual({ message });
    expect(workers[1].published.map(({ payload }) => payload)).toEqual([{ channelId, messages: [message] }]);
  }
});

test("what dead workers left in a head is struck off by the next writer that reads it", async () => {
  await send(workers[0], "1");
  await takeAndDie(workers[0], 1, new Date(Date.now() - PENDING_MAX_AGE_MS - 1));
  await send(workers[1], "2");
  const { collection, id } = heads(workers[0]);
  const head = await collection.findOne({ _id: id });
  expect(Object.keys(head?.pending ?? {})).not.toContain("dead-1");
});
