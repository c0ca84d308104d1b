import { PERMISSIONS } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { emojiPermission } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("roles and default roles that can manage the group can manage its emoji, and no others", async () => {
  const { view, manageGroup, manageEmoji } = PERMISSIONS;
  const connection = await database.connect("emoji");
  const db = dbOf(connection);
  const before = [view | manageGroup, view];
  await db.collection("roles").insertMany(before.map((permissions) => ({ permissions })));
  const groups = [...before.map((defaultPermissions) => ({ defaultPermissions })), {}];
  await db.collection("groups").insertMany(groups);
  await migrate(connection, optionsOf({ migrations: [emojiPermission] }));
  const bitsOf = async (collection: string, field: string) =>
    (await db.collection(collection).find().sort({ _id: 1 }).toArray()).map((found) => found[field]);
  const after = [view | manageGroup | manageEmoji, view];
  expect(await bitsOf("roles", "permissions")).toEqual(after);
  expect(await bitsOf("groups", "defaultPermissions")).toEqual([...after, undefined]);
});
