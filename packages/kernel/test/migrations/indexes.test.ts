import { Schema, type Connection } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { dbOf, RecordedReport, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.close());

const declare = (connection: Connection): void => {
  const schema = new Schema(
    { channel: String, numbers: [Number], at: Date, key: String },
    { collection: "things" },
  );
  schema.index({ channel: 1, numbers: 1 }, { unique: true, name: "channel_numbers" });
  schema.index({ at: 1 }, { expireAfterSeconds: 60 });
  schema.index({ key: 1 }, { unique: true, sparse: true });
  connection.model("Thing", schema);
};

const namesOf = async (connection: Connection): Promise<Set<string>> =>
  new Set((await dbOf(connection).collection("things").indexes()).map(({ name }) => String(name)));

test("creates declared indexes and recreates changed ones, once", async () => {
  const connection = await database.connect("made");
  declare(connection);
  await dbOf(connection).collection("things").createIndex({ at: 1 }, { expireAfterSeconds: 5 });
  const report = new RecordedReport();
  await migrate(connection, optionsOf({ report }));
  expect(await namesOf(connection)).toEqual(new Set(["_id_", "at_1", "channel_numbers", "key_1"]));
  const ttl = (await dbOf(connection).collection("things").indexes()).find(({ name }) => name === "at_1");
  expect(ttl).toMatchObject({ expireAfterSeconds: 60 });
  expect(report.logged).toHaveLength(1);
  await migrate(connection, optionsOf({ report }));
  expect(report.logged).toHaveLength(1);
});

test("reports undeclared indexes and removes them if no other process needs them", async () => {
  const connection = await database.connect("obsolete");
  declare(connection);
  await dbOf(connection).collection("things").createIndex({ old: 1 });
  await dbOf(connection).collection("others").createIndex({ old: 1 });
  const report = new RecordedReport();
  await migrate(connection, optionsOf({ report }));
  expect(report.warned).toEqual([expect.stringContaining('"things.old_1"')]);
  expect(await namesOf(connection)).toContain("old_1");
  await migrate(connection, optionsOf({ report, removesIndexes: true }));
  expect(await namesOf(connection)).not.toContain("old_1");
  expect(await dbOf(connection).collection("others").indexes()).toHaveLength(2);
});

test("the error of a unique index lists the duplicate documents", async () => {
  const connection = await database.connect("duplicates");
  declare(connection);
  const things = dbOf(connection).collection<{
    _id: number;
    channel: string;
    numbers: number[];
    key?: string;
  }>("things");
  await things.insertMany([
    { _id: 1, channel: "a", numbers: [1, 2] },
    { _id: 2, channel: "a", numbers: [2, 3] },
    { _id: 3, channel: "b", numbers: [2] },
  ]);
  await expect(migrate(connection, optionsOf())).rejects.toThrow(
    "The unique index things.channel_numbers can't be created because several documents have the same value:\n" +
      "  channel: a, numbers: 2 in _id 1, 2\n" +
      "Delete or change all but one of each, then restart.",
  );
  await things.deleteOne({ _id: 2 });
  await things.updateMany({ _id: { $gt: 1 } }, { $set: { key: "same" } });
  await things.insertMany(
    Array.from({ length: 8 }, (_, n) => ({ _id: 10 + n, channel: `c${n}`, numbers: [1], key: "same" })),
  );
  await expect(migrate(connection, optionsOf())).rejects.toThrow(
    "key: same in _id 3, 10, 11, 12, 13 and 4 more",
  );
});
