import { createHmac } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { jsonBytes } from "@fanfare/kernel";
import { createAccount, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { Types } from "mongoose";
import { io } from "socket.io-client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
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
