import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongoWorker, type SupervisedMongo } from "@fanfare/embedded-mongo";
import mongoose, { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ChannelHeadRepository } from "../src/channel-head.repository.ts";
import { BatchLedger } from "../src/commit/batch-ledger.ts";
import { DatabaseStore } from "../src/commit/database-store.ts";
import type { KnownHead } from "../src/commit/store.ts";
import { documentId } from "../src/document-id.ts";
import type { MessageDocument } from "../src/message.model.ts";
import { MessageRepository } from "../src/message.repository.ts";

let dir: string;
let database: SupervisedMongo;
let connection: mongoose.Connection;
let heads: ChannelHeadRepository;
let store: DatabaseStore;
let channelId: string;
let commands: { commandName: string; command: Record<string, unknown> }[];

const TIMEOUT_MS = 5000;
const authorId = new Types.ObjectId();
const start: KnownHead = { seq: 0, rev: 0, exists: false, finished: [] };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-store-"));
  database = await startEmbeddedMongoWorker({ dir });
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
  heads = new ChannelHeadRepository(connection);
  commands = [];
  await Promise.all([messages.createIndexes(), heads.createIndexes()]);
  store = new DatabaseStore(messages, heads, new BatchLedger());
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

const take = (batchId: string, from: KnownHead) =>
  store.takeNumbers(batchId, new Date(), [{ channelId, from, seqs: 2, revs: 3 }], TIMEOUT_MS);

test("numbers are taken once, whoever asks, and noted as pending", async () => {
  expect(await take("a-1", start)).toEqual(new Set());
  expect(await take("b-1", start)).toEqual(new Set([channelId]));
  expect(await take("b-1", { seq: 0, rev: 0, exists: true, finished: [] })).toEqual(new Set([channelId]));
  expect(await take("b-1", { seq: 2, rev: 3, exists: true, finished: ["a-1"] })).toEqual(new Set());
  expect(await heads.find(channelId)).toMatchObject({
    seq: 4,
    rev: 6,
    pending: { "b-1": { rev: 4, count: 3, seq: 3, messages: 2, at: expect.any(Date) } },
  });
});

test("of several channels only those that moved are refused", async () => {
  const moved = channelId;
  await take("a-1", start);
  const others = [new Types.ObjectId().toHexString(), new Types.ObjectId().toHexString()];
  const takes = [moved, ...others].map((id) => ({ channelId: id, from: start, seqs: 1, revs: 1 }));
  expect(await store.takeNumbers("b-1", new Date(), takes, TIMEOUT_MS)).toEqual(new Set([moved]));
  const known = await store.readHeads([moved, ...others]);
  expect([...known.values()].map(({ seq, rev }) => [seq, rev])).toEqual(
    expect.arrayContaining([
      [2, 3],
      [1, 1],
      [1, 1],
    ]),
  );
});

test("messages are stored durably on a majority; the head before them is not waited for", async () => {
  await take("a-1", start);
  await store.insert([message(1)], TIMEOUT_MS);
  await store.change({ messageId: "1".repeat(24), channelId, rev: 3, set: {} }, TIMEOUT_MS);
  // The server itself gives up when the writer has.
  expect(commands.every(({ command }) => Number(command["maxTimeMS"]) <= TIMEOUT_MS)).toBe(true);
  const concerns = commands.map(({ commandName, command }) => [commandName, command["writeConcern"]]);
  expect(concerns).toEqual([
    ["update", { w: 1, j: false }],
    ["insert", { w: "majority", j: true }],
    ["findAndModify", { w: "majority", j: true }],
  ]);
});

test("an insert says which messages it could not store, and stores the others", async () => {
  const stored = message(1);
  expect(await store.insert([stored], TIMEOUT_MS)).toEqual(new Map());
  const faults = await store.insert(
    [message(2), message(3, { nonce: stored.nonce }), message(1, { nonce: "new" }), message(4)],
    TIMEOUT_MS,
  );
  expect([...faults]).toEqual([
    [1, "nonce exists"],
    [2, "seq exists"],
  ]);
  expect(await store.findDurable(channelId, documentId({ _id: authorId }), stored.nonce)).toEqual(stored);
  await store.heal(channelId);
  expect(await heads.find(channelId)).toMatchObject({ seq: 4, rev: 4 });
});

test("a change comes after those before it and never after a deletion", async () => {
  const stored = message(1);
  await store.insert([stored], TIMEOUT_MS);
  const messageId = documentId(stored);
  const change = (rev: number, set: object) => store.change({ messageId, channelId, rev, set }, TIMEOUT_MS);
  expect(await change(5, { content: "later" })).toMatchObject({ content: "later", rev: 5 });
  expect(await change(4, { content: "earlier" })).toBeNull();
  expect(await change(5, { content: "the same number" })).toBeNull();
  expect(await change(6, { content: "", deletedAt: new Date() })).toMatchObject({ content: "" });
  expect(await change(7, { content: "after the deletion" })).toBeNull();
});

test("of writes with an unknown outcome those that happened are found", async () => {
  const [stored, changed] = [message(1), message(2)];
  await store.insert([stored, changed], TIMEOUT_MS);
  await store.change({ messageId: documentId(changed), channelId, rev: 9, set: {} }, TIMEOUT_MS);
  const revs = new Map([stored, changed, message(3)].map((one) => [documentId(one), one.rev]));
  expect(await store.settle([channelId], revs)).toEqual([stored]);
});
