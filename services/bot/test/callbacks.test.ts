import { createHmac } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { jsonBytes } from "@fanfare/kernel";
import { createAccount, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { mongo, Types } from "mongoose";
import { io } from "socket.io-client";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createPlace, createReceiver, say, until, type Place } from "./place.ts";

let instance: Instance;
let admin: string;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  instance = await startInstance({ OUTBOUND_ALLOW: "127.0.0.1/32" });
  admin = (await createAccount(instance.url)).accessToken;
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => instance.stop());

type AnyMethod = (this: mongo.Collection, ...args: unknown[]) => Promise<unknown>;
const SECRET = "a secret of the bot";

async function receive(...args: Parameters<typeof createReceiver>) {
  const receiver = await createReceiver(...args);
  closers.push(receiver.close);
  return receiver;
}

const subscribe = (
  place: Place,
  url: string,
  events = ["message.created", "message.changed", "message.deleted"],
) =>
  must(
    instance.url,
    "bot.subscribe",
    { url, secret: SECRET, events: events as ["message.created"] },
    place.token,
  );

test("delivers new, edited and deleted messages, signed, in order, starting with the subscription", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { accessToken } = place.world.member;
  const { received, url: address } = await receive();
  await subscribe(place, address);
  const { message } = await must(url, "message.send", say(place.channelId, "first"), accessToken);
  const ofMessage = { channelId: place.channelId, messageId: message.id };
  const delivered = () => received.flatMap(({ body }) => body.events);
  await until(() => delivered().length === 1);
  await must(url, "message.edit", { ...ofMessage, content: "second" }, accessToken);
  await must(url, "message.delete", ofMessage, accessToken);
  await must(url, "message.send", say(place.channelId, "last"), accessToken);
  await until(() =>
    delivered().some(
      ({ type, message }) =>
        type === "message.created" && (message as { content: string }).content === "last",
    ),
  );
  expect(delivered()[0]).toMatchObject({
    type: "message.created",
    message: { content: "first", id: message.id },
  });
  expect(delivered().some(({ type }) => type === "message.deleted")).toBe(true);
  const { headers, text, body } = received[0]!;
  const timestamp = String(headers["fanfare-timestamp"]);
  const expected = createHmac("sha256", SECRET).update(`${timestamp}.${text}`).digest("hex");
  expect(headers["fanfare-signature"]).toBe(`v1=${expected}`);
  expect(headers["fanfare-delivery"]).toBe(body.deliveryId);
});

test("retries rejected callbacks, and loses no messages in between", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { received, url: address } = await receive((_one, count) => (count === 1 ? 500 : 200));
  await subscribe(place, address);
  const { accessToken } = place.world.member;
  for (const text of ["one", "two", "three"])
    await must(url, "message.send", say(place.channelId, text), accessToken);
  const taken = () =>
    received
      .slice(1)
      .flatMap(({ body }) => body.events.map(({ message }) => (message as { content: string }).content));
  await until(() => taken().length === 3);
  expect(taken()).toEqual(["one", "two", "three"]);
  await until(async () => (await must(url, "bot.me", {}, place.token)).bot.callback?.state === "active");
});

test("delivers newly visible threads and channels from their beginning, but not private ones", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { owner, member } = place.world;
  const { received, url: address } = await receive();
  await subscribe(place, address, ["message.created"]);
  const { groupId } = place;
  const secret = { groupId, name: "secret", private: true };
  const { channel: hidden } = await must(url, "channel.create", secret, owner.accessToken);
  await must(url, "message.send", say(hidden.id, "not for bots"), owner.accessToken);
  const { channel } = await must(url, "channel.create", { groupId, name: "new" }, owner.accessToken);
  const { message } = await must(
    url,
    "message.send",
    say(channel.id, "in a new channel"),
    member.accessToken,
  );
  const root = { channelId: channel.id, messageId: message.id };
  const { channel: thread } = await must(url, "channel.openThread", root, member.accessToken);
  await must(url, "message.send", say(thread.id, "in a thread"), member.accessToken);
  const texts = () =>
    received.flatMap(({ body }) => body.events.map(({ message: m }) => (m as { content: string }).content));
  await until(() => texts().length >= 2);
  expect(texts()).toEqual(["in a new channel", "in a thread"]);
});

test("doesn't deliver the bot's own messages, and none without the scope", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { received, url: address } = await receive();
  await subscribe(place, address);
  await must(url, "message.send", say(place.channelId, "mine"), place.token);
  await must(url, "message.send", say(place.channelId, "theirs"), place.world.member.accessToken);
  await until(() => received.length > 0);
  expect(received.flatMap(({ body }) => body.events)).toMatchObject([{ message: { content: "theirs" } }]);
  const blind = await createPlace(url, ["events"]);
  const params = { url: address, secret: SECRET, events: ["message.created" as const] };
  expect(await post(url, "bot.subscribe", params, blind.token)).toMatchObject({
    ok: false,
    error: { type: "BOT_NOT_ALLOWED" },
  });
});

test("a URL that returns 410 gets no further callbacks until an admin retries them, and the creator is notified", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const maker = io(url, {
    transports: ["websocket"],
    forceNew: true,
    auth: { token: place.world.owner.accessToken },
  });
  closers.push(async () => maker.disconnect());
  const disabled: unknown[] = [];
  maker.on("bot.disabled", (payload) => disabled.push(payload));
  await new Promise<void>((resolve, reject) => {
    maker.once("ready", () => resolve());
    maker.once("connect_error", reject);
  });
  let status = 410;
  const { received, url: address } = await receive(() => status);
  await subscribe(place, address);
  await must(url, "message.send", say(place.channelId, "hi"), place.world.member.accessToken);
  const state = async () => (await must(url, "bot.me", {}, place.token)).bot.callback;
  await until(async () => (await state())?.state === "disabled");
  expect(await state()).toMatchObject({ failures: 1, lastError: expect.stringContaining("410") });
  expect(received).toHaveLength(1);
  await until(() => disabled.length === 1);
  expect(disabled).toMatchObject([
    { groupId: place.world.group.id, lastError: expect.stringContaining("410") },
  ]);
  const failedJob = async () => {
    const { jobs } = await must(url, "admin.listDeadJobs", {}, admin);
    return jobs.find(({ kind, key }) => kind === "bot.callback" && key.startsWith(place.botId));
  };
  const { id: jobId, ...job } = await until(failedJob);
  expect(job).toMatchObject({ tries: 1, lastError: expect.stringContaining("410") });
  status = 204;
  await must(url, "admin.retryJob", { jobId }, admin);
  await until(async () => (await state())?.state === "active");
  expect(received.map(({ body }) => body.deliveryId)).toEqual(
    Array.from({ length: 2 }, () => received[0]!.body.deliveryId),
  );
  expect(await failedJob()).toBeUndefined();
  await must(url, "bot.unsubscribe", {}, place.token);
  expect(await state()).toBeNull();
});

test("a new token ends the callback of the former holder", async () => {
  const { url } = instance;
  const { world, groupId, channelId } = await createPlace(url);
  const { owner, member } = world;
  const manageWebhooks = 1 << 15;
  const { role } = await must(
    url,
    "role.create",
    { groupId, name: "Integrations", permissions: manageWebhooks },
    owner.accessToken,
  );
  const ofMember = { groupId, userId: member.userId };
  await must(url, "role.assign", { ...ofMember, roleId: role.id }, owner.accessToken);
  const scopes = ["messages.read" as const, "events" as const];
  const made = await must(url, "bot.create", { groupId, name: "Mine", scopes }, member.accessToken);
  const botId = made.bot.id;
  const former = await receive();
  const events = ["message.created" as const];
  await must(url, "bot.subscribe", { url: former.url, secret: SECRET, events }, made.token);
  const sessionId = async () =>
    (await instance.collection("bots").findOne({ _id: new Types.ObjectId(botId) }))!["sessionId"] as string;
  const before = await sessionId();
  await must(url, "group.kick", ofMember, owner.accessToken);
  await until(async () => (await sessionId()) !== before);
  await must(url, "message.send", say(channelId, "after the kick"), owner.accessToken);

  const { bot, token } = await must(url, "bot.rotateToken", { groupId, botId }, owner.accessToken);
  expect(bot.callback).toBeNull();
  expect(await instance.collection("botCursors").countDocuments({ botId })).toBe(0);
  const taken = await receive();
  await must(url, "bot.subscribe", { url: taken.url, secret: SECRET, events }, token);
  await must(url, "message.send", say(channelId, "to the owner"), owner.accessToken);
  await until(() => taken.received.length > 0);
  expect(taken.received[0]!.body.events).toMatchObject([{ message: { content: "to the owner" } }]);
  expect(former.received).toEqual([]);
});

test("a new token works although another call ended its session before it was stored", async () => {
  const { url } = instance;
  const { botId, groupId, world } = await createPlace(url);
  const sessions = instance.collection("sessions");
  const store = Reflect.get(mongo.Collection.prototype, "findOneAndUpdate") as AnyMethod;
  const spy = vi.spyOn(mongo.Collection.prototype, "findOneAndUpdate");
  spy.mockImplementation(async function (this: mongo.Collection, ...args: unknown[]) {
    if (!JSON.stringify(args[1]).includes("tokenHash")) return store.apply(this, args);
    spy.mockRestore();
    const living = { userId: new Types.ObjectId(botId), revokedAt: { $exists: false } };
    expect(await sessions.updateMany(living, { $set: { revokedAt: new Date() } })).toMatchObject({
      modifiedCount: 1,
    });
    return store.apply(this, args);
  } as never);
  const { token } = await must(url, "bot.rotateToken", { groupId, botId }, world.owner.accessToken);
  expect((await must(url, "bot.me", {}, token)).bot.id).toBe(botId);
});

test("a bot without the scopes has neither a callback nor commands", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { botId, channelId, groupId, token, world } = place;
  const { url: address } = await receive();
  await subscribe(place, address);
  await must(url, "command.register", { name: "deploy", description: "Deploy", options: [] }, token);
  const scopes = ["messages.read" as const];
  const { bot } = await must(url, "bot.update", { groupId, botId, scopes }, world.owner.accessToken);
  expect(bot.callback).toBeNull();
  expect(await instance.collection("botCursors").countDocuments({ botId })).toBe(0);
  const { accessToken } = world.member;
  expect((await must(url, "command.list", { channelId }, accessToken)).commands).toEqual([]);
  expect(await post(url, "command.invoke", { channelId, name: "deploy" }, accessToken)).toMatchObject({
    error: { type: "COMMAND_NOT_FOUND" },
  });
});

test("a callback and commands that an earlier version kept without their scopes have no effect", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { received, url: address } = await receive();
  await subscribe(place, address);
  await must(url, "command.register", { name: "deploy", description: "Deploy" }, place.token);
  const bot = { _id: new Types.ObjectId(place.botId) };
  await instance.collection("bots").updateOne(bot, { $set: { scopes: ["messages.read"] } });
  const { channelId, world } = place;
  const { accessToken } = world.member;
  await must(url, "message.send", say(channelId, "secret"), accessToken);
  const deliveries = { kind: "bot.callback", key: { $regex: `^${place.botId}:` } };
  await instance.collection("jobs").updateOne(deliveries, { $set: { dueAt: new Date(0) } });
  await until(async () => (await instance.collection("jobs").countDocuments(deliveries)) === 0);
  expect(received).toEqual([]);
  expect((await must(url, "command.list", { channelId }, accessToken)).commands).toEqual([]);
  expect(await post(url, "command.invoke", { channelId, name: "deploy" }, accessToken)).toMatchObject({
    error: { type: "COMMAND_NOT_FOUND" },
  });
});

test("a callback that ends during a delivery gets no more of it", async () => {
  const { url } = instance;
  const { botId, channelId, groupId, token, world } = await createPlace(url);
  const { accessToken } = world.owner;
  const { channel } = await must(url, "channel.create", { groupId, name: "other" }, accessToken);
  let isEnded = false;
  const former = await receive(async (_, count) => {
    if (count === 1) {
      await must(url, "message.send", say(channel.id, "two"), accessToken);
      return 500;
    }
    // Both channels have something to deliver.
    await must(url, "bot.rotateToken", { groupId, botId }, accessToken);
    isEnded = true;
    return 204;
  });
  const events = ["message.created" as const];
  await must(url, "bot.subscribe", { url: former.url, secret: SECRET, events }, token);
  await must(url, "message.send", say(channelId, "one"), accessToken);
  await until(() => isEnded);
  const running = {
    kind: "bot.callback",
    key: { $regex: `^${botId}:` },
    heldUntil: { $gt: new Date() },
  };
  await until(async () => (await instance.collection("jobs").countDocuments(running)) === 0);
  expect(former.received).toHaveLength(2);
});

test("commands are listed page by page when one response can't hold them", async () => {
  const { url } = instance;
  const { channelId, groupId, world } = await createPlace(url);
  const options = Array.from({ length: LIMITS.optionsPerCommand }, (_, number) => ({
    name: `option-${number}`.padEnd(LIMITS.commandNameMaxChars, "x"),
    // Three bytes per character in UTF-8.
    description: "語".repeat(LIMITS.nicknameMaxChars),
  }));
  const BOTS = 14;
  for (let number = 0; number < BOTS; number++) {
    const params = { groupId, name: `Bot ${number}`, scopes: ["commands" as const] };
    const { bot } = await must(url, "bot.create", params, world.owner.accessToken);
    const place = { groupId: new Types.ObjectId(groupId), botId: new Types.ObjectId(bot.id) };
    await instance.collection("botCommands").insertMany(
      Array.from({ length: LIMITS.commandsPerBot }, (_, command) => ({
        ...place,
        name: `c-${number}-${command}`,
        description: "Something",
        options,
      })),
    );
  }
  const names: string[] = [];
  let pages = 0;
  for (let afterName: string | undefined; ; pages++) {
    const params = { channelId, ...(afterName && { afterName }) };
    const page = await must(url, "command.list", params, world.member.accessToken);
    expect(jsonBytes(page)).toBeLessThan(LIMITS.answerMaxBytes + 1024);
    names.push(...page.commands.map(({ name }) => name));
    if (page.nextName === null) break;
    afterName = page.nextName;
  }
  expect(pages).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(BOTS * LIMITS.commandsPerBot);
  expect(names).toHaveLength(BOTS * LIMITS.commandsPerBot);
});

test("delivers a command to the bot, which responds", async () => {
  const { url } = instance;
  const place = await createPlace(url);
  const { channelId, token, world } = place;
  const { received, url: address } = await receive();
  await subscribe(place, address, ["command.invoked"]);
  const command = {
    name: "deploy",
    description: "Deploy something",
    options: [{ name: "what", description: "What" }],
  };
  await must(url, "command.register", command, token);
  await must(url, "command.register", command, token);
  const { accessToken, userId } = world.member;
  expect((await must(url, "command.list", { channelId }, accessToken)).commands).toMatchObject([
    { name: "deploy" },
  ]);
  await must(url, "command.invoke", { channelId, name: "deploy", text: "the page" }, accessToken);
  await until(() => received.length === 1);
  expect(received[0]!.body.events).toMatchObject([
    { type: "command.invoked", invocation: { command: "deploy", text: "the page", userId, channelId } },
  ]);
  await must(url, "message.send", say(channelId, `<@${userId}> done`), token);
  const second = await must(
    url,
    "bot.create",
    { groupId: place.groupId, name: "2", scopes: ["commands"] },
    world.owner.accessToken,
  );
  expect(await post(url, "command.register", command, second.token)).toMatchObject({
    error: { type: "COMMAND_NAME_TAKEN" },
  });
  await must(url, "command.unregister", { name: "deploy" }, second.token);
  expect((await must(url, "command.list", { channelId }, accessToken)).commands).toHaveLength(1);
  await must(url, "command.unregister", { name: "deploy" }, token);
  expect(await post(url, "command.invoke", { channelId, name: "deploy" }, accessToken)).toMatchObject({
    error: { type: "COMMAND_NOT_FOUND" },
  });
});

test("doesn't connect to addresses of the server's own network", async () => {
  const closed = await startInstance();
  const { received, url: address } = await receive();
  try {
    const place = await createPlace(closed.url);
    const params = { url: address, secret: SECRET, events: ["message.created" as const] };
    await must(closed.url, "bot.subscribe", params, place.token);
    await must(closed.url, "message.send", say(place.channelId, "hi"), place.world.member.accessToken);
    const callback = await until(async () => {
      const { bot } = await must(closed.url, "bot.me", {}, place.token);
      return bot.callback?.state === "failing" ? bot.callback : null;
    });
    expect(callback.lastError).toContain("is not a public address");
    expect(received).toEqual([]);
  } finally {
    await closed.stop();
  }
});
