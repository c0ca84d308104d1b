import { must, type ServerProcess } from "@fanfare/testing";
import { startNewDatabase } from "../../../test/support/new-database.ts";
import { startNode, type FanfareNode } from "../../../test/support/node-process.ts";
import mongoose, { type Connection } from "mongoose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { MAX_FAILURES } from "../src/constants.ts";
import { createPlace, createReceiver, say, until, type Place } from "./place.ts";

// The server runs in a separate process that can be killed, with a separate database whose jobs can be changed.

let database: ServerProcess;
let connection: Connection;
let node: FanfareNode;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  database = await startNewDatabase();
  connection = await mongoose.createConnection(database.url, { dbName: "fanfare" }).asPromise();
  const env = { MONGO_URL: database.url, OUTBOUND_ALLOW: "127.0.0.1/32", GATEWAY_THREADS: "0" };
  node = await startNode({ env });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await connection?.close();
  await node?.process.stop();
  await database?.stop();
});

const jobs = () => connection.collection("jobs");
const jobsOf = ({ botId }: Place) => ({ kind: "bot.callback", key: { $regex: `^${botId}:` } });
const setCallback = ({ botId }: Place, changes: Record<string, unknown>) =>
  connection.collection("bots").updateOne({ _id: new mongoose.Types.ObjectId(botId) }, { $set: changes });
const stateOf = async ({ token }: Place) => (await must(node.url, "bot.me", {}, token)).bot.callback?.state;

async function receive(...args: Parameters<typeof createReceiver>) {
  const receiver = await createReceiver(...args);
  closers.push(receiver.close);
  return receiver;
}

async function subscribe({ token }: Place, url: string): Promise<void> {
  const events = ["message.created", "command.invoked"] as const;
  await must(node.url, "bot.subscribe", { url, secret: "a secret of the bot", events: [...events] }, token);
}

test(
  "a kill -9 during a callback loses nothing and repeats it with the same id; a clean stop repeats nothing",
  { tags: "long" },
  async () => {
    const { url } = node;
    const place = await createPlace(url);
    const { channelId, token, world } = place;
    let answering: Promise<unknown> = Promise.resolve();
    const { received, url: address } = await receive(async () => {
      await answering;
      return 204;
    });
    await subscribe(place, address);
    await must(url, "command.register", { name: "deploy", description: "Deploy" }, token);
    const { accessToken } = world.member;
    const send = (text: string) => () => must(url, "message.send", say(channelId, text), accessToken);
    const invoke = () => must(url, "command.invoke", { channelId, name: "deploy" }, accessToken);
    const arrived = async (count: number) => {
      await until(() => received.length >= count, 60_000);
      expect(received).toHaveLength(count);
    };
    for (const [i, act] of [send("one"), invoke].entries()) {
      const { promise: never } = Promise.withResolvers<void>();
      answering = never;
      await act();
      await arrived(2 * i + 1);
      await node.process.kill();
      // The state at the end of the lease.
      await jobs().updateMany(jobsOf(place), { $set: { heldUntil: new Date(0) } });
      answering = Promise.resolve();
      await node.process.start();
      await arrived(2 * i + 2);
      expect(received.at(-1)!.body).toEqual(received.at(-2)!.body);
    }

    const { promise: answer, resolve } = Promise.withResolvers<void>();
    answering = answer;
    await send("two")();
    await arrived(5);
    process.kill(node.process.pid!, "SIGTERM");
    const isReady = () =>
      fetch(`${node.opsUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(async () => !(await isReady()));
    resolve();
    await node.process.exit();
    await node.process.start();
    await send("three")();
    await arrived(6);
    const delivered = received.flatMap(({ body }) => body.events);
    expect(delivered.map(({ message }) => (message as { content: string } | undefined)?.content)).toEqual([
      "one",
      "one",
      undefined,
      undefined,
      "two",
      "three",
    ]);
  },
);

test("after its last failure a callback is disabled and its job dead; a new subscription starts without failures", async () => {
  const { url } = node;
  const place = await createPlace(url);
  const { accessToken } = place.world.member;
  let status = 500;
  const { received, url: address } = await receive(() => status);
  await subscribe(place, address);
  await setCallback(place, { "callback.failures": MAX_FAILURES - 1 });
  await must(url, "message.send", say(place.channelId, "one"), accessToken);
  const dead = await until(() => jobs().findOne({ ...jobsOf(place), deadAt: { $exists: true } }));
  expect(dead["lastError"]).toContain("500");
  expect(await stateOf(place)).toBe("disabled");
  expect(received).toHaveLength(1);

  status = 204;
  await subscribe(place, address);
  await must(url, "message.send", say(place.channelId, "two"), accessToken);
  await until(() => received.length === 2);
  expect(received[1]!.body.events).toMatchObject([{ message: { content: "two" } }]);
  expect(await stateOf(place)).toBe("active");

  // The state after a process has died between the two writes.
  await setCallback(place, { "callback.isDisabled": true, "callback.lastError": "Gone." });
  const live = { ...jobsOf(place), deadAt: { $exists: false } };
  await until(async () => {
    const idle = { ...live, tries: 0, heldUntil: new Date(0), dueAt: { $gt: new Date() } };
    return (await jobs().updateOne(idle, { $set: { tries: 1, dueAt: new Date(0) } })).matchedCount === 1;
  });
  await until(async () => (await jobs().countDocuments(live)) === 0);
  expect(await jobs().countDocuments({ ...jobsOf(place), lastError: "Gone." })).toBe(1);
  expect(received).toHaveLength(2);
});
