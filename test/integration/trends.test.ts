import { createAccount, createWorld, freePort, must, type Person } from "@fanfare/testing";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startInstance, type Instance } from "../support/instance.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A test that runs over midnight still has the same days. */
const startedMs = Date.now();

let instance: Instance;
let admin: Person;

beforeAll(async () => {
  const ports = { PORT: String(await freePort()), OPS_PORT: String(await freePort()) };
  instance = await startInstance(ports);
  admin = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

const daysAgo = (days: number) => new Date(startedMs - days * DAY_MS);
const nameOf = (day: Date) => day.toISOString().slice(0, 10);
const idAt = (time: Date) =>
  new Types.ObjectId(
    Types.ObjectId.createFromTime(time.getTime() / 1000)
      .toHexString()
      .slice(0, 8) + new Types.ObjectId().toHexString().slice(8),
  );
const trends = async (days = 180) =>
  (await must(instance.url, "admin.getTrends", { days }, admin.accessToken)).days.filter(
    ({ day }) => day < nameOf(daysAgo(0)),
  );
const rows = () => instance.collection("dayStats");
const newestRow = async () => (await rows().find().sort({ _id: -1 }).limit(1).toArray())[0];

test("each day since the first user is counted once it is over, also before the counting began", async () => {
  const users = instance.collection("users");
  const user = (kind: string, day: number, more: object = {}) => {
    const createdAt = daysAgo(day);
    return { _id: idAt(createdAt), kind, nickname: kind, createdAt, ...more };
  };
  await users.insertMany([
    user("member", 4),
    user("guest", 2),
    user("member", 2),
    user("bot", 2),
    user("guest", 2, { importedIn: new Types.ObjectId() }),
  ]);
  const messages = instance.collection("messages");
  const channelId = new Types.ObjectId();
  await messages.insertMany(
    [4, 3, 3, 1].map((day, index) => ({
      _id: idAt(daysAgo(day)),
      channelId,
      seq: index + 1,
      rev: index + 1,
      revs: [index + 1],
      authorId: new Types.ObjectId(),
      nonce: `n${index}`,
      createdAt: daysAgo(day),
      deletedAt: index === 2 ? daysAgo(1) : null,
    })),
  );
  await instance.restart();
  const unknown = { activeUsers: null, fileBytes: null };
  await vi.waitFor(async () => expect(await trends()).toHaveLength(4), 60_000);
  expect(await trends()).toEqual([
    { day: nameOf(daysAgo(4)), messages: 1, newUsers: 1, ...unknown },
    { day: nameOf(daysAgo(3)), messages: 2, newUsers: 0, ...unknown },
    { day: nameOf(daysAgo(2)), messages: 0, newUsers: 2, ...unknown },
    { day: nameOf(daysAgo(1)), messages: 1, newUsers: 0, ...unknown },
  ]);
  expect((await trends(2)).at(-1)).toMatchObject({ day: nameOf(daysAgo(1)) });
  expect((await trends(2)).length).toBeLessThanOrEqual(2);

  // What was counted stays.
  await instance.collection("messages").deleteMany({ channelId });
  const startedDay = { _id: nameOf(daysAgo(0)) } as object;
  await rows().deleteOne(startedDay);
  await instance.restart();
  await vi.waitFor(async () => expect(await rows().findOne(startedDay)).not.toBeNull());
  expect((await trends()).map(({ messages: count }) => count)).toEqual([1, 2, 0, 1]);
});

test("active users and the size of all files are counted during the day", async () => {
  // Active on both days, if the day ends in between.
  const users = [new Types.ObjectId(), new Types.ObjectId()];
  const sessions = users.flatMap((userId) =>
    [0, -1].map((day) => ({
      userId,
      familyHash: "",
      currentHash: "",
      createdAt: daysAgo(day),
      refreshedAt: daysAgo(day),
      expiresAt: daysAgo(-10),
    })),
  );
  await instance.collection("sessions").insertMany(sessions);
  const { owner } = await createWorld(instance.url);
  const usage = { _id: `user:${owner.userId}` } as object;
  const bytes = 12_345;
  await instance.collection("fileUsage").insertOne({ ...usage, bytes });
  await instance.restart();
  await vi.waitFor(async () => expect(await newestRow()).toMatchObject({ fileBytes: bytes }), 60_000);
  const counted = (await newestRow())!;
  expect(counted["activeUsers"]).toBeGreaterThanOrEqual(users.length);

  // A later, lower count doesn't replace the number of active users.
  await instance.collection("sessions").deleteMany({});
  await instance.collection("fileUsage").updateOne(usage, { $set: { bytes: 1 } });
  await instance.restart();
  await vi.waitFor(async () => expect(await newestRow()).toMatchObject({ fileBytes: 1 }), 60_000);
  expect(await rows().findOne({ _id: counted._id })).toMatchObject({ activeUsers: counted["activeUsers"] });
});
