import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { changedThreads } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("the heads of threads with messages get their group, and count as changed", async () => {
  const connection = await database.connect("threads");
  const db = dbOf(connection);
  const [groupId, room, old, empty, changed] = Array.from({ length: 5 }, () => new mongo.ObjectId());
  const thread = { kind: "thread", parentId: room, parentGroupId: groupId };
  await db.collection("channels").insertMany([
    { _id: room, kind: "text", groupId },
    { _id: old, ...thread },
    { _id: empty, ...thread },
    { _id: changed, ...thread },
  ]);
  const startedAt = Date.now();
  const known = { seq: 1, rev: 1, threadOf: groupId, changedAt: new Date(1000) };
  await db.collection("channelHeads").insertMany([
    { _id: room, seq: 3, rev: 3 },
    { _id: old, seq: 2, rev: 5 },
    { _id: changed, ...known },
  ]);
  await migrate(connection, optionsOf({ migrations: [changedThreads] }));
  const heads = await db.collection("channelHeads").find().sort({ seq: -1 }).toArray();
  expect(heads).toEqual([
    { _id: room, seq: 3, rev: 3 },
    { _id: old, seq: 2, rev: 5, threadOf: groupId, changedAt: expect.any(Date) },
    { _id: changed, ...known },
  ]);
  expect(heads[1]!["changedAt"].getTime()).toBeGreaterThanOrEqual(startedAt);
});
