import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { botCallbackJobs } from "../../src/migrations/steps/0002-to-0012.ts";
import { dbOf, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("callbacks become jobs once; failed ones keep their backoff, disabled ones stay disabled", async () => {
  const connection = await database.connect("callbacks");
  const db = dbOf(connection);
  const nextAt = new Date(1_000_000);
  const bot = (name: string, failures: number, isDisabled: boolean) => ({
    _id: new mongo.ObjectId(),
    name,
    ...(!isDisabled && { dueAt: nextAt }),
    callback: {
      id: name,
      url: "https://example.org",
      failures,
      isDisabled,
      nextAt,
      leasedUntil: new Date(0),
    },
  });
  const [working, failing, disabled] = [
    bot("working", 0, false),
    bot("failing", 3, false),
    bot("off", 16, true),
  ];
  const many = Array.from({ length: 1100 }, (_, i) => bot(`bot-${i}`, 0, false));
  const plain = { _id: new mongo.ObjectId(), name: "plain" };
  const bots = db.collection<{ _id: mongo.ObjectId; [key: string]: unknown }>("bots");
  await bots.insertMany([working, failing, disabled, plain, ...many]);
  // Left by an earlier interrupted run.
  await db
    .collection("jobs")
    .insertOne({ kind: "bot.callback", key: `${String(many[0]!._id)}:bot-0`, fence: 7 });
  await migrate(connection, optionsOf({ migrations: [botCallbackJobs] }));

  const jobs = db.collection("jobs");
  expect(await jobs.countDocuments()).toBe(1102);
  const jobOf = ({ _id }: mongo.Document) => jobs.findOne({ key: { $regex: `^${_id}:` } });
  expect(await jobOf(working)).toMatchObject({
    key: `${String(working._id)}:working`,
    payload: { botId: String(working._id), callbackId: "working" },
    dueAt: nextAt,
    heldUntil: new Date(0),
    tries: 0,
  });
  expect(await jobOf(failing)).toMatchObject({ dueAt: nextAt, heldUntil: nextAt, tries: 3 });
  expect(await jobOf(disabled)).toBeNull();
  expect(await jobOf(many[0]!)).toMatchObject({ fence: 7 });
  for (const { _id, name, callback } of [working, failing, disabled]) {
    const { nextAt: _, leasedUntil: __, ...rest } = callback;
    expect(await bots.findOne({ _id })).toEqual({ _id, name, callback: rest });
  }
});
