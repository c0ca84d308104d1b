import { must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlace, say } from "./place.ts";

let instance: Instance;
const sockets: Socket[] = [];
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(async () => {
  for (const socket of sockets) socket.disconnect();
  await instance.stop();
});

const refusal = (type: string) => ({ ok: false, error: expect.objectContaining({ type }) });

async function connect(token: string): Promise<Socket> {
  const socket = io(instance.url, { transports: ["websocket"], forceNew: true, auth: { token } });
  sockets.push(socket);
  await new Promise((resolve, reject) => {
    socket.once("ready", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}

const gone = (socket: Socket) => new Promise<void>((resolve) => socket.once("disconnect", () => resolve()));

test("a bot is a member that reads and writes with its token, by HTTP and by socket", async () => {
  const { url } = instance;
  const { token, channelId, groupId, botId, world } = await createPlace(url);
  const { message } = await must(url, "message.send", say(channelId, "by HTTP"), token);
  expect(message.authorId).toBe(botId);
  const socket = await connect(token);
  expect(await socket.emitWithAck("message.send", say(channelId, "by socket"))).toMatchObject({ ok: true });
  const { member } = await must(url, "group.getMember", { groupId, userId: botId }, world.owner.accessToken);
  expect(member.userId).toBe(botId);
  const { user } = await must(url, "user.get", { userId: botId }, world.owner.accessToken);
  expect(user).toMatchObject({ kind: "bot", nickname: "Robot", username: null });
  expect((await must(url, "bot.me", {}, token)).bot).toMatchObject({ id: botId, groupId, callback: null });
});

test("a bot receives messages", async () => {
  const { token, channelId, world } = await createPlace(instance.url);
  const socket = await connect(token);
  const received = new Promise((resolve) => socket.once("message.created", resolve));
  await must(instance.url, "message.send", say(channelId, "hello"), world.member.accessToken);
  expect(await received).toMatchObject({ channelId, messages: [{ content: "hello" }] });
});

test("a bot is rejected without the scope, and for actions that have none", async () => {
  const { url } = instance;
  const { token, channelId, groupId, world } = await createPlace(url, ["messages.read"]);
  await must(url, "message.list", { channelId }, token);
  expect(await post(url, "message.send", say(channelId, "no"), token)).toEqual(refusal("BOT_NOT_ALLOWED"));
  expect(await post(url, "group.create", { name: "no" }, token)).toEqual(refusal("BOT_NOT_ALLOWED"));
  expect(await post(url, "invite.accept", { code: world.inviteCode }, token)).toEqual(
    refusal("BOT_NOT_ALLOWED"),
  );
  expect(await post(url, "user.updateProfile", { nickname: "no" }, token)).toEqual(
    refusal("BOT_NOT_ALLOWED"),
  );
  expect(await post(url, "admin.stats", {}, token)).toMatchObject({ ok: false });
  const more = { groupId, name: "Another", scopes: [] };
  expect(await post(url, "bot.create", more, token)).toEqual(refusal("BOT_NOT_ALLOWED"));
  const socket = await connect(token);
  expect(await socket.emitWithAck("message.send", say(channelId, "no"))).toEqual(refusal("BOT_NOT_ALLOWED"));
});

test("a scope doesn't grant permissions that the bot's user lacks", async () => {
  const { url } = instance;
  const { token, groupId, world } = await createPlace(url, ["members.manage", "messages.read"]);
  const target = { groupId, userId: world.target.userId };
  expect(await post(url, "group.kick", target, token)).toEqual(refusal("FORBIDDEN"));
  const otherPlace = await createPlace(url);
  const list = { channelId: otherPlace.channelId };
  expect(await post(url, "message.list", list, token)).toEqual(refusal("CHANNEL_NOT_FOUND"));
});

test("a new token invalidates the old one immediately and closes its sockets", async () => {
  const { url } = instance;
  const { token, channelId, groupId, botId, world } = await createPlace(url);
  const socket = await connect(token);
  await must(url, "bot.me", {}, token);
  const closed = gone(socket);
  const rotated = await must(url, "bot.rotateToken", { groupId, botId }, world.owner.accessToken);
  await closed;
  expect(await post(url, "bot.me", {}, token)).toMatchObject({
    ok: false,
    error: { type: "UNAUTHENTICATED" },
  });
  await expect(connect(token)).rejects.toMatchObject({ data: { type: "UNAUTHENTICATED" } });
  await must(url, "message.send", say(channelId, "back"), rotated.token);
});

test("changed scopes apply immediately, also to connected bots", async () => {
  const { url } = instance;
  const { token, channelId, groupId, botId, world } = await createPlace(url);
  const socket = await connect(token);
  await must(url, "message.send", say(channelId, "may"), token);
  const closed = gone(socket);
  const change = { groupId, botId, scopes: ["messages.read" as const], name: "Reader" };
  await must(url, "bot.update", change, world.owner.accessToken);
  await closed;
  expect(await post(url, "message.send", say(channelId, "no"), token)).toEqual(refusal("BOT_NOT_ALLOWED"));
  const { user } = await must(url, "user.get", { userId: botId }, world.owner.accessToken);
  expect(user.nickname).toBe("Reader");
});

test("deleting a bot removes its token, sockets and membership", async () => {
  const { url } = instance;
  const { token, groupId, botId, world } = await createPlace(url);
  const socket = await connect(token);
  const closed = gone(socket);
  const { accessToken } = world.owner;
  await must(url, "bot.delete", { groupId, botId }, accessToken);
  await closed;
  expect(await post(url, "bot.me", {}, token)).toMatchObject({
    ok: false,
    error: { type: "UNAUTHENTICATED" },
  });
  expect((await must(url, "bot.list", { groupId }, accessToken)).bots).toEqual([]);
  await expect
    .poll(async () => (await post(url, "group.getMember", { groupId, userId: botId }, accessToken)).ok)
    .toBe(false);
});

test("only the creator of a bot and the group's owner can get its token", async () => {
  const { url } = instance;
  const { groupId, botId, world } = await createPlace(url);
  const { owner, member } = world;
  const manageWebhooks = 1 << 15;
  const role = { groupId, name: "Integrations", permissions: manageWebhooks };
  const { role: made } = await must(url, "role.create", role, owner.accessToken);
  await must(url, "role.assign", { groupId, roleId: made.id, userId: member.userId }, owner.accessToken);
  expect((await must(url, "bot.list", { groupId }, member.accessToken)).bots).toHaveLength(1);
  const ofBot = { groupId, botId };
  expect(await post(url, "bot.rotateToken", ofBot, member.accessToken)).toEqual(refusal("FORBIDDEN"));
  const scopes = { ...ofBot, scopes: [] };
  expect(await post(url, "bot.update", scopes, member.accessToken)).toEqual(refusal("FORBIDDEN"));
  const own = { groupId, name: "Own", scopes: [], roleIds: [] };
  const mine = await must(url, "bot.create", own, member.accessToken);
  await must(url, "bot.rotateToken", { groupId, botId: mine.bot.id }, member.accessToken);
  // A bot can't get a role that its creator couldn't assign.
  const above = { ...own, roleIds: [made.id] };
  expect(await post(url, "bot.create", above, member.accessToken)).toEqual(refusal("FORBIDDEN"));
  expect((await must(url, "bot.list", { groupId }, member.accessToken)).bots).toHaveLength(2);
});

test("bots of other groups are not found, and made-up tokens are rejected", async () => {
  const { url } = instance;
  const { world, groupId, botId, token } = await createPlace(url);
  const otherPlace = await createPlace(url);
  const other = { groupId, botId: otherPlace.botId };
  expect(await post(url, "bot.delete", other, world.owner.accessToken)).toEqual(refusal("BOT_NOT_FOUND"));
  const stranger = world.stranger.accessToken;
  expect(await post(url, "bot.list", { groupId }, stranger)).toEqual(refusal("GROUP_NOT_FOUND"));
  const made = [`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, `fbot.${botId}.x`, "fbot."];
  for (const bad of made) expect(await post(url, "bot.me", {}, bad)).toMatchObject({ ok: false });
});
