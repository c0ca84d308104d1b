import { CALL_PERMISSIONS, MEMBER_PERMISSIONS, PERMISSIONS } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { callPermissions } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("members of every group can take part in calls, until its moderators change that", async () => {
  const { view, connect, kickMembers } = PERMISSIONS;
  const connection = await database.connect("calls");
  const groups = dbOf(connection).collection("groups");
  const before = MEMBER_PERMISSIONS & ~CALL_PERMISSIONS;
  await groups.insertMany([
    { defaultPermissions: before },
    { defaultPermissions: view },
    { defaultPermissions: view | connect },
    {},
  ]);
  const options = optionsOf({ migrations: [callPermissions] });
  const permissions = async () =>
    (await groups.find().sort({ _id: 1 }).toArray()).map((group) => group["defaultPermissions"]);

  await migrate(connection, options);
  expect(await permissions()).toEqual([
    MEMBER_PERMISSIONS,
    view | CALL_PERMISSIONS,
    view | connect,
    undefined,
  ]);

  await groups.updateMany({}, { $set: { defaultPermissions: view | kickMembers } });
  await migrate(connection, options);
  expect(await permissions()).toEqual(Array.from({ length: 4 }, () => view | kickMembers));
});
