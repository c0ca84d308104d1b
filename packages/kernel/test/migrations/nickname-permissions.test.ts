import { PERMISSIONS } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { nicknamePermissions } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("who can write gets the own nickname, and who can manage the group those of others", async () => {
  const { view, sendMessages, changeNickname, manageGroup, manageNicknames } = PERMISSIONS;
  const connection = await database.connect("nicknames");
  const db = dbOf(connection);
  const before = [view, view | sendMessages, view | manageGroup];
  await db.collection("roles").insertMany(before.map((permissions) => ({ permissions })));
  const groups = [...before.map((defaultPermissions) => ({ defaultPermissions })), {}];
  await db.collection("groups").insertMany(groups);
  await migrate(connection, optionsOf({ migrations: [nicknamePermissions] }));
  const bitsOf = async (collection: string, field: string) =>
    (await db.collection(collection).find().sort({ _id: 1 }).toArray()).map((found) => found[field]);
  const managing = view | manageGroup | manageNicknames;
  expect(await bitsOf("roles", "permissions")).toEqual([view, view | sendMessages, managing]);
  const writing = view | sendMessages | changeNickname;
  expect(await bitsOf("groups", "defaultPermissions")).toEqual([view, writing, managing, undefined]);
});
