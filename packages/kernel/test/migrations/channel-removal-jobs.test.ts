import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { channelRemovalJobs } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("pending channel removals become jobs once", async () => {
  const connection = await database.connect("removals");
  const db = dbOf(connection);
  const ids = Array.from({ length: 1200 }, () => new mongo.ObjectId());
  const requestedAt = new Date(1_000_000);
  await db.collection("channelRemovals").insertMany(ids.map((_id) => ({ _id, requestedAt })));
  // Left by an earlier interrupted run.
  const key = String(ids[0]);
  await db.collection("jobs").insertOne({ kind: "message.removeChannel", key, payload: { requestedAt } });
  await migrate(connection, optionsOf({ migrations: [channelRemovalJobs] }));
  const jobs = await db.collection("jobs").find({ kind: "message.removeChannel" }).toArray();
  expect(new Set(jobs.map((job) => String(job["key"])))).toEqual(new Set(ids.map(String)));
  expect(jobs).toHaveLength(ids.length);
  expect(jobs.at(-1)).toMatchObject({ payload: { requestedAt }, fence: 0, tries: 0, requests: 1 });
  expect(await db.collection("channelRemovals").countDocuments()).toBe(0);
});
