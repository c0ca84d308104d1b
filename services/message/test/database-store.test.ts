import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toServiceError } from "@fanfare/kernel";
import { startEmbeddedMongoProcess, type SupervisedMongo } from "@fanfare/embedded-mongo";
import mongoose, { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ChannelHeadRepository, createChannelHeadRepository } from "../src/channel-head.repository.ts";
import { DatabaseStore } from "../src/commit/database-store.ts";
import { documentId, type MessageDocument, messageModel } from "../src/message.model.ts";
import { MessageRepository } from "../src/message.repository.ts";
import { DatabaseProcess } from "./database-process.ts";

let dir: string;
let database: SupervisedMongo;
let connection: mongoose.Connection;
let heads: ChannelHeadRepository;
let store: DatabaseStore;
let channelId: string;
let commands: { commandName: string; command: Record<string, unknown> }[];

const TIMEOUT_MS = 5000;
const authorId = new Types.ObjectId();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-store-"));
  database = await startEmbeddedMongoProcess({ dir });
  connection = await mongoose
    .createConnection(database.uri, {
      dbName: "test",
      autoIndex: false,
      autoCreate: false,
      monitorCommands: true,
    })
    .asPromise();
  connection.getClient().on("commandStarted", (started) => commands.push(started));
  const messages = new MessageRepository(connection);
  heads = createChannelHeadRepository(connection);
  commands = [];
  await messageModel(connection).createIndexes();
  store = new DatabaseStore(messages, heads);
});
afterAll(async () => {
  await connection?.close();
  await database?.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  channelId = new Types.ObjectId().toHexString();
  commands = [];
});

function message(seq: number, more: Partial<MessageDocument> = {}): MessageDocument {
  return {
    _id: new Types.ObjectId(),
    channelId: new Types.ObjectId(channelId),
    seq,
    rev: seq,
    revs: [seq],
    authorId,
    content: `${seq}`,
    replyTo: null,
    nonce: `nonce ${seq}`,
    createdAt: new Date(),
    editedAt: null,
    deletedAt: null,
    ...more,
  };
}

const insert = (messages: MessageDocument[], ordered = false) => store.insert(messages, ordered, TIMEOUT_MS);
const change = (of: MessageDocument, rev: number, set: object) =>
  store.change({ messageId: documentId(of), channelId, rev, set }, TIMEOUT_MS);

test("messages and heads are stored with majority write concern, and read with majority for numbering", async () => {
  const [first] = [message(1)];
  await insert([first]);
  await store.raiseHeads(new Map([[channelId, { seq: 1, rev: 1 }]]), TIMEOUT_MS);
  await change(first, 2, { content: "changed" });
  const writes = commands.map(({ commandName, command }) => [commandName, command["writeConcern"]]);
  const durable = { w: "majority", j: true };
  expect(writes).toEqual([
    ["insert", durable],
    ["update", durable],
    ["findAndModify", durable],
  ]);
  // The server gives up no later than the writer.
  expect(commands.every(({ command }) => Number(command["maxTimeMS"]) <= TIMEOUT_MS)).toBe(true);
  commands = [];
  expect(await store.readHead(channelId)).toEqual({ seq: 1, rev: 2 });
  expect(commands.map(({ command }) => command["readConcern"])).toEqual([
    { level: "majority" },
    { level: "majority" },
  ]);
});

test("an unordered insert reports the failed messages and stores the others", async () => {
  const stored = message(1);
  expect(await insert([stored])).toEqual(new Map());
  const faults = await insert([
    message(2),
    message(3, { nonce: stored.nonce }),
    message(1, { nonce: "new" }),
    message(4),
  ]);
  expect([...faults]).toEqual([
    [1, { reason: "nonceExists" }],
    [2, { reason: "numberTaken" }],
  ]);
});

test("an ordered insert stores nothing after the first failure", async () => {
  await insert([message(1, { nonce: "same" })]);
  const faults = await insert([message(2), message(3, { nonce: "same" }), message(4)], true);
  expect([...faults]).toEqual([[1, { reason: "nonceExists" }]]);
  expect(await store.readHead(channelId)).toEqual({ seq: 2, rev: 2 });
});

test("an insert fails if its connection breaks before the reply", async () => {
  const killed = new DatabaseProcess(join(dir, "killed"));
  await killed.start();
  const broken = await mongoose.createConnection(killed.url, { autoIndex: false }).asPromise();
  try {
    const messages = new MessageRepository(broken);
    await messages.insertMany([message(1)], false, TIMEOUT_MS);
    killed.freeze();
    const inserted = new DatabaseStore(messages, createChannelHeadRepository(broken)).insert(
      [message(2)],
      false,
      TIMEOUT_MS,
    );
    const failed = inserted.then(() => null, toServiceError);
    await killed.kill();
    expect(await failed).toMatchObject({ type: "UNAVAILABLE" });
  } finally {
    await broken.close();
    await killed.kill();
  }
});

test("finding a message by nonce raises the head first", async () => {
  const stored = message(1);
  await insert([stored]);
  const author = authorId.toHexString();
  expect(await store.findByNonce(channelId, { authorId: author, nonce: "unknown" }, TIMEOUT_MS)).toBeNull();
  expect(await store.findByNonce(channelId, { authorId: author, nonce: stored.nonce }, TIMEOUT_MS)).toEqual(
    stored,
  );
  expect(await heads.find(channelId)).toMatchObject({ seq: 1, rev: 1 });
  await store.raiseHeads(new Map([[channelId, { seq: 0, rev: 0 }]]), TIMEOUT_MS);
  expect(await heads.find(channelId)).toMatchObject({ seq: 1, rev: 1 });
});

test("heads of a channel raised concurrently for the first time end with the highest values", async () => {
  const numbers = Array.from({ length: 20 }, (_, i) => ((i * 7) % 20) + 1);
  await Promise.all(
    numbers.map((n) => store.raiseHeads(new Map([[channelId, { seq: n, rev: n }]]), TIMEOUT_MS)),
  );
  expect(await heads.find(channelId)).toMatchObject({ seq: 20, rev: 20 });
});

test("a number is never used twice", async () => {
  const [one, two] = [message(1), message(2)];
  await insert([one, two]);
  expect(await change(one, 3, { content: "3" })).toMatchObject({
    message: { content: "3", rev: 3, revs: [1, 3] },
  });
  expect(await change(one, 4, { content: "4" })).toMatchObject({
    message: { content: "4", rev: 4, revs: [1, 3, 4] },
  });
  for (const number of [1, 3, 4]) {
    expect([...(await insert([message(3, { rev: number, revs: [number] })])).values()]).toEqual([
      { reason: "numberTaken" },
    ]);
    expect(await change(two, number, {})).toEqual({ outcome: "numberTaken" });
    expect(await change(one, number, {})).toEqual({ outcome: "numberTaken" });
  }
  expect(await store.readHead(channelId)).toEqual({ seq: 2, rev: 4 });
});

test("deleted or unknown messages can't be changed", async () => {
  const stored = message(1);
  await insert([stored]);
  expect(await change(stored, 2, { content: "", deletedAt: new Date() })).toMatchObject({
    message: { content: "" },
  });
  expect(await change(stored, 3, { content: "after the deletion" })).toEqual({ outcome: "gone" });
  expect(await change(message(9), 3, { content: "of nothing" })).toEqual({ outcome: "gone" });
});

test("lists changed threads of several groups by the time of change, each group after its own cursor", async () => {
  const id = () => new Types.ObjectId().toHexString();
  const [one, two, third] = [id(), id(), id()];
  const write = async (threadOf: string, ms: number): Promise<string> => {
    const thread = id();
    await store.raiseHeads(new Map([[thread, { seq: 1, rev: 1, threadOf }]]), TIMEOUT_MS);
    const change = { $set: { changedAt: new Date(ms) } };
    await connection.collection("channelHeads").updateOne({ _id: new Types.ObjectId(thread) }, change);
    return thread;
  };
  await store.raiseHeads(new Map([[id(), { seq: 1, rev: 1 }]]), TIMEOUT_MS);
  const [a, b, c] = [await write(one, 1000), await write(two, 2000), await write(one, 3000)];
  const [d, e] = [await write(two, 3000), await write(third, 1500)];
  const after = (groupId: string, ms: number, thread = "0".repeat(24)) => ({
    groupId,
    after: { changedAt: new Date(ms), channelId: thread },
  });
  const list = async (groups: ReturnType<typeof after>[], limit = 10) =>
    (await heads.listChangedThreads(groups, limit)).map(({ _id }) => _id);
  expect(await list([])).toEqual([]);
  expect(await list([after(one, 0)])).toEqual([a, c]);
  expect(await list([after(one, 1000, a)])).toEqual([c]);
  expect(await list([after(one, 0), after(two, 0)])).toEqual([a, b, c, d]);
  expect(await list([after(one, 1000, a), after(two, 2000, b), after(third, 0)])).toEqual([e, c, d]);
  expect(await list([after(one, 0), after(two, 0), after(third, 1600)], 3)).toEqual([a, b, c]);
  expect(await list([after(two, 0), after(one, 0)], 1)).toEqual([a]);
  // A change of a message, which isn't known to be in a thread.
  await store.raiseHeads(new Map([[a, { seq: 1, rev: 2 }]]), TIMEOUT_MS);
  expect(await list([after(one, 3000)])).toEqual([c, a]);
});
