import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { searchIndex } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("drops the old search collections and nothing else", async () => {
  const connection = await database.connect("search");
  const db = dbOf(connection);
  const channelId = new mongo.ObjectId();
  await db.collection("searchEntries").createIndex({ channelId: 1, tokens: 1, _id: -1 });
  await db.collection("searchEntries").insertOne({ channelId, rev: 1, tokens: ["a"] });
  await db.collection("searchProgress").insertOne({ rev: 1, version: 2, parentId: null });
  await db.collection("messages").insertOne({ channelId, content: "a" });
  await migrate(connection, optionsOf({ migrations: [searchIndex] }));
  for (const name of ["searchEntries", "searchProgress", "searchGroupProgress"])
    expect(await db.collection(name).countDocuments()).toBe(0);
  expect(await db.collection("messages").countDocuments()).toBe(1);
});
