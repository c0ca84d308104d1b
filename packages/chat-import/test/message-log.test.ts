import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNewIds, newSalt } from "@fanfare/group-file";
import { type Database, openDatabase } from "@fanfare/kernel/database";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { idOf } from "../src/history.ts";
import { MessageLog } from "../src/message-log.ts";

let dataDir: string;
let database: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fanfare-message-log-"));
  database = await openDatabase({ dataDir, mongoUrl: undefined }, (error) => {
    throw error;
  });
  await database.db.collection("messages").createIndex({ channelId: 1, seq: 1 }, { unique: true });
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

test("the heads of all channels of a batch are raised, also if a live message interrupts it", async () => {
  const { db } = database;
  const newId = createNewIds(newSalt());
  const ids = { groupId: new mongo.ObjectId(), newId, userId: newId };
  const [first, second] = ["first", "second"].map((key) => idOf("channel", key, new Date(0)));
  const refuse = () => Promise.reject(new Error("there are no files"));
  const log = new MessageLog({
    db,
    storing: { folder: null, store: refuse, removeOf: refuse, close: refuse },
    open: refuse,
    isNew: false,
    isThread: (channelId) => channelId === second,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const add = async (channelId: string, seconds: number): Promise<void> => {
    const createdAt = new Date(1_600_000_000_000 + 1000 * seconds);
    const line = {
      type: "message" as const,
      id: idOf("message", `${channelId} ${seconds}`, createdAt),
      channelId,
      authorId: idOf("message", "someone", createdAt),
      content: "hello",
      replyTo: null,
      createdAt: createdAt.toISOString(),
      editedAt: null,
      deletedAt: null,
      editCount: 0,
    };
    await log.add({ line, reactions: [], files: [] }, ids, String(ids.groupId));
  };
  for (const channelId of [first!, second!]) await add(channelId, 1);
  await log.flush();
  const live = { channelId: newId(second!), seq: 2, rev: 2, revs: [2], content: "live" };
  await db.collection("messages").insertOne(live);
  for (const channelId of [first!, second!]) await add(channelId, 2);
  await log.flush();
  const head = (channelId: string) => db.collection("channelHeads").findOne({ _id: newId(channelId) });
  const changedAt = expect.any(Date);
  expect(await head(first!)).toEqual({ _id: newId(first!), seq: 2, rev: 2, changedAt });
  const ofThread = { seq: 3, rev: 3, changedAt, threadOf: ids.groupId };
  expect(await head(second!)).toEqual({ _id: newId(second!), ...ofThread });
});
