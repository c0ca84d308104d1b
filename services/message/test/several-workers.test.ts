import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongoProcess, type SupervisedMongo } from "@fanfare/embedded-mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ChannelReader, readAll } from "./channel-reader.ts";
import { startMessageNode, type MessageNode, type Published } from "./message-node.ts";
import { pseudoRandom } from "./pseudo-random.ts";

// Several processes write to one channel concurrently, and any can die at any moment.

let dir: string;
let database: SupervisedMongo;
let workers: [MessageNode, MessageNode, MessageNode];
let channelId: string;
let channels = 0;

const userId = "a".repeat(24);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-workers-"));
  database = await startEmbeddedMongoProcess({ dir: join(dir, "db"), listen: { port: 0 } });
  const env = { MONGO_URL: database.uri, DATA_DIR: dir };
  workers = [await startMessageNode(env), await startMessageNode(env), await startMessageNode(env)];
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

function objectId({ base }: Connection): never {
  return new base.Types.ObjectId(channelId) as never;
}

/** Events of all workers as clients can receive them: interleaved, some late, some duplicated, some lost. */
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

test("three workers on one channel: no duplicate numbers, and every message once", async () => {
  const sends = Array.from({ length: 600 }, (_, i) => send(workers[i % 3]!, `${i}`));
  const answered = (await Promise.all(sends)).map(({ message }) => message);
  const stored = await readAll(workers[0], userId, channelId);
  expect(answered.sort((a, b) => a.seq - b.seq)).toEqual(stored);
  expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
  expect(stored.map(({ rev }) => rev)).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
  const { heads } = await workers[1].node.services.message.listHeads({ userId, channelIds: [channelId] });
  expect(heads[0]?.head).toEqual({ seq: 600, rev: 600 });
});

test("the same nonce at both workers creates one message", async () => {
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, (_, i) => send(workers[0], `${i}`)),
    ...Array.from({ length: 20 }, (_, i) => send(workers[1], `${i}`)),
  ]);
  expect(new Set(answers.map(({ message }) => message.id)).size).toBe(20);
  expect(await readAll(workers[1], userId, channelId)).toHaveLength(20);
});

test("a reader that starts anywhere, on an unreliable network, ends with an exact copy", async () => {
  const readers: ChannelReader[] = [];
  const from: number[][] = [];
  const writing = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; i < 20; i++) {
      const worker = workers[(writer + i) % 3]!;
      const { message } = await send(worker, `${writer}/${i}`);
      const one = { channelId, messageId: message.id };
      if (i % 5 === 0) await worker.as(userId, "message.edit", { ...one, content: `edited by ${writer}` });
      if (i % 7 === 0) await worker.as(userId, "message.delete", one);
      if (i % 6 !== 0) continue;
      const reader = new ChannelReader(workers[(i / 6) % 3]!, userId, channelId);
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
      reader.receive(name, payload);
      if (reader.mustSync && random() < 0.1) await reader.sync();
    }
    // As after a reconnect, because the last event may be the one that was lost.
    for (let asked = 0; asked === 0 || reader.mustSync; asked++) expect(await reader.sync()).toBe("ok");
    const firstSeq = reader.copy[0]!.seq;
    expect(reader.copy).toEqual(stored.filter(({ seq }) => seq >= firstSeq));
  }
});

test("concurrent changes by several workers get distinct numbers, and none is lost", async () => {
  const { message } = await send(workers[0], "0");
  const one = { channelId, messageId: message.id };
  const { message: other } = await send(workers[1], "other");
  const edits = Array.from({ length: 90 }, async (_, i) => {
    const worker = workers[i % 3]!;
    const edited = { channelId, messageId: i % 5 === 0 ? other.id : one.messageId, content: `edit ${i}` };
    return (await worker.as(userId, "message.edit", edited)).message.rev;
  });
  const revs = await Promise.all(edits);
  expect(revs.sort((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i + 3));
  // Each edit has stored the text that it replaced.
  const { edits: kept } = await workers[2].as(userId, "message.listEdits", { ...one, limit: 100 });
  const { message: last } = await workers[2].as(userId, "message.get", one);
  const texts = Array.from({ length: 90 }, (_, i) => i).filter((i) => i % 5 !== 0);
  expect([...kept.map(({ content }) => content), last.content].sort()).toEqual(
    ["0", ...texts.map((i) => `edit ${i}`)].sort(),
  );
  const events = workers
    .flatMap(({ published }) => published)
    .filter(({ name }) => name === "message.changed");
  expect(events.length).toBe(90);
});

test("concurrent reactions at several workers end with the exact count", async () => {
  const { message } = await send(workers[0], "react");
  const one = { channelId, messageId: message.id, emoji: "👍" };
  const users = Array.from({ length: 60 }, (_, i) => i.toString(16).padStart(24, "0"));
  await Promise.all(users.map((user, i) => workers[i % 3]!.as(user, "message.react", one)));
  const leaving = users.slice(0, 20).map((user, i) => workers[(i + 1) % 3]!.as(user, "message.unreact", one));
  await Promise.all(leaving);
  const shown = async () =>
    (await workers[0].as(userId, "message.get", { channelId, messageId: message.id })).message;
  await expect.poll(async () => (await shown()).reactions?.[0]?.count).toBe(40);
  const left = () => workers[0].node.database.collection("uncountedReactions").countDocuments();
  await expect.poll(left).toBe(0);
  expect((await shown()).reactions).toEqual([{ emoji: "👍", count: 40, userIds: users.slice(20, 30) }]);
});

test("a number superseded by a later change is not reused", async () => {
  const { message } = await send(workers[0], "1");
  // The second worker caches the current head and then misses three changes of the same message.
  await send(workers[1], "2");
  for (const content of ["a", "b", "c"]) {
    await workers[0].as(userId, "message.edit", { channelId, messageId: message.id, content });
  }
  expect((await send(workers[1], "3")).message).toMatchObject({ seq: 3, rev: 6 });
  for (const content of ["d", "e", "f"]) {
    await workers[0].as(userId, "message.edit", { channelId, messageId: message.id, content });
  }
  const edit = { channelId, messageId: message.id, content: "g" };
  expect((await workers[1].as(userId, "message.edit", edit)).message).toMatchObject({
    rev: 10,
    content: "g",
  });
});

test("messages of a worker that died before raising the head are found by syncs, and channel lists recover", async () => {
  await send(workers[0], "before");
  const { database } = workers[0].node;
  await database.collection("messages").insertOne({
    channelId: objectId(database),
    seq: 2,
    rev: 2,
    revs: [2],
    authorId: new database.base.Types.ObjectId(userId),
    content: "left behind",
    replyTo: null,
    nonce: "left behind",
    createdAt: new Date(Date.now() - 60_000),
    editedAt: null,
    deletedAt: null,
  });
  const reader = new ChannelReader(workers[1], userId, channelId);
  reader.rev = 1;
  expect(await reader.sync()).toBe("ok");
  expect(reader.copy.map(({ content }) => content)).toEqual(["left behind"]);
  const params = { userId, channelIds: [channelId] };
  await expect
    .poll(async () => (await workers[2].node.services.message.listHeads(params)).heads[0]?.head)
    .toEqual({ seq: 2, rev: 2 });
  // The first worker's cached head is outdated: its next message is rejected once and written again.
  expect((await send(workers[0], "after")).message).toMatchObject({ seq: 3, rev: 3 });
});

test("a message whose worker died before publishing is published when its sender retries", async () => {
  for (const resend of [false, true]) {
    const { message } = await send(workers[0], `${resend}`);
    const { content, nonce } = message;
    workers[1].published.length = 0;
    const repeated = await workers[1].as(userId, "message.send", { channelId, content, nonce, resend });
    expect(repeated).toEqual({ message });
    expect(workers[1].published.map(({ payload }) => payload)).toEqual([{ channelId, messages: [message] }]);
  }
});
