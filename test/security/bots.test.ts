import {
  createAccount,
  createGuest,
  createWorld,
  must,
  post,
  type Person,
  type World,
} from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { PERMISSIONS } from "@fanfare/contract";
import { io } from "socket.io-client";
import { afterAll, beforeAll, expect, test } from "vitest";

// A bot's token stays with the creator of the bot, so it must not outlive that member's permissions.

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

const refused = (type: string) =>
  expect.objectContaining({ ok: false, error: expect.objectContaining({ type }) });

interface BotSetup {
  world: World;
  manager: Person;
  botId: string;
  token: string;
}

/** A bot created by a member with permission to manage bots. */
async function createBotSetup(): Promise<BotSetup> {
  const { url } = instance;
  const world = await createWorld(url);
  const { owner, group, inviteCode } = world;
  const manager = await createGuest(url);
  await must(url, "invite.accept", { code: inviteCode }, manager.accessToken);
  const managerRole = { groupId: group.id, name: "Robots", permissions: PERMISSIONS.manageWebhooks };
  const { role } = await must(url, "role.create", managerRole, owner.accessToken);
  const assignment = { groupId: group.id, roleId: role.id, userId: manager.userId };
  await must(url, "role.assign", assignment, owner.accessToken);
  const wanted = { groupId: group.id, name: "Ear", scopes: ["messages.read" as const] };
  const { bot, token } = await must(url, "bot.create", wanted, manager.accessToken);
  return { world, manager, botId: bot.id, token };
}

test.each(["group.kick", "group.ban"] as const)(
  "%s disconnects the bots that the removed member created",
  async (name) => {
    const { url } = instance;
    const { world, manager, token } = await createBotSetup();
    const { owner, group, channel } = world;
    await must(url, "message.list", { channelId: channel.id }, token);
    const socket = io(url, {
      transports: ["websocket"],
      auth: { token },
      forceNew: true,
      reconnection: false,
    });
    await new Promise<void>((resolve) => socket.once("ready", () => resolve()));
    const gone = new Promise<void>((resolve) => socket.once("disconnect", () => resolve()));
    await must(url, name, { groupId: group.id, userId: manager.userId }, owner.accessToken);
    await gone;
    const answer = await post(url, "message.list", { channelId: channel.id }, token);
    expect(answer).toEqual(refused("UNAUTHENTICATED"));
  },
);

test("a disabled user can't post through a bot or a webhook", async () => {
  const { url } = instance;
  const root = await createAccount(url);
  const { world, manager, token } = await createBotSetup();
  const channelId = world.channel.id;
  const hook = await must(url, "webhook.create", { channelId, name: "Hook" }, manager.accessToken);
  const executeWebhook = () =>
    post(url, "webhook.execute", { webhookId: hook.webhook.id, token: hook.token, content: "still here" });
  expect((await executeWebhook()).ok).toBe(true);
  await must(url, "message.list", { channelId }, token);
  await must(url, "admin.disableUser", { userId: manager.userId }, root.accessToken);
  expect(await post(url, "message.list", { channelId }, token)).toEqual(refused("UNAUTHENTICATED"));
  expect(await executeWebhook()).toEqual(refused("WEBHOOK_NOT_FOUND"));
});

test("a bot token stops working when its creator can no longer manage bots", async () => {
  const { url } = instance;
  const { world, manager, token } = await createBotSetup();
  const { owner, group, channel } = world;
  await must(url, "message.list", { channelId: channel.id }, token);
  const { roles } = await must(url, "role.list", { groupId: group.id }, owner.accessToken);
  const assignment = { groupId: group.id, roleId: roles[0]!.id, userId: manager.userId };
  await must(url, "role.unassign", assignment, owner.accessToken);
  await expect
    .poll(() => post(url, "message.list", { channelId: channel.id }, token))
    .toEqual(refused("UNAUTHENTICATED"));
});

test("the owner can take over the bot of a removed member with a new token", async () => {
  const { url } = instance;
  const { world, manager, botId } = await createBotSetup();
  const { owner, group, channel } = world;
  const groupId = group.id;
  await must(url, "group.kick", { groupId, userId: manager.userId }, owner.accessToken);
  const { token } = await must(url, "bot.rotateToken", { groupId, botId }, owner.accessToken);
  expect((await post(url, "message.list", { channelId: channel.id }, token)).ok).toBe(true);
});

test("a group can't be transferred to a bot", async () => {
  const { url } = instance;
  const { world, botId } = await createBotSetup();
  const { owner, group } = world;
  const answer = await post(url, "group.transfer", { groupId: group.id, userId: botId }, owner.accessToken);
  expect(answer).toEqual(refused("GUEST_NOT_ALLOWED"));
});

test("a bot can't create bots, claim an account, export data, list sessions or call admin actions", async () => {
  const { url } = instance;
  const { world, token } = await createBotSetup();
  const attempts = [
    post(url, "bot.create", { groupId: world.group.id, name: "Child", scopes: [] }, token),
    post(url, "user.claimGuest", { username: "robot-in-person", password: "correct horse" }, token),
    post(url, "admin.stats", {}, token),
    post(url, "user.exportMyData", {}, token),
    post(url, "user.listSessions", {}, token),
  ];
  for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject({ ok: false });
});
