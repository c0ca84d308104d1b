import { FanfareClient } from "@fanfare/client";
import { LIMITS, type Params, type SessionTokens } from "@fanfare/contract";
import { createAccount, createGuest, must, post, type Person } from "@fanfare/testing";
import { mongo } from "mongoose";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { PushService, type Received } from "./push-service.ts";

// Users who are offline get pushes that only the browser can decrypt, and none about what they can't see.

let instance: Instance;
let service: PushService;
let owner: Person;
let me: SessionTokens & { username: string };
let groupId: string;
let openId: string;
let privateId: string;

beforeAll(async () => {
  instance = await startInstance({ OUTBOUND_ALLOW: "127.0.0.0/8" });
});
afterAll(() => instance?.stop());

let accounts = 0;
beforeEach(async () => {
  service = await PushService.start();
  owner = await createGuest(instance.url);
  await must(instance.url, "user.updateProfile", { nickname: "Ann" }, owner.accessToken);
  const username = `pushed${(accounts += 1)}`;
  const account = { username, password: "correct horse", nickname: "Ben" };
  me = { ...(await must(instance.url, "user.register", account)), username };
  const made = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
  groupId = made.group.id;
  openId = made.channels[0]!.id;
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, me.accessToken);
  const secret = { groupId, name: "private", private: true };
  privateId = (await must(instance.url, "channel.create", secret, owner.accessToken)).channel.id;
  await subscribe("phone");
});
afterEach(() => service.stop());

const subscribe = (name: string, accessToken = me.accessToken) =>
  must(instance.url, "push.subscribe", service.subscription(name), accessToken);
const set = (params: Params<"notification.set">) =>
  must(instance.url, "notification.set", params, me.accessToken);
const list = async (accessToken = me.accessToken) =>
  (await must(instance.url, "push.list", {}, accessToken)).subscriptions;

let nonces = 0;
async function send(channelId: string, content: string, from = owner): Promise<string> {
  const params = { channelId, content, nonce: String((nonces += 1)) };
  return (await must(instance.url, "message.send", params, from.accessToken)).message.id;
}
const named = (content: string): string => `${content} <@${me.user.id}>`;
const bodies = (): string[] => service.received.map(({ payload }) => (payload as { body: string }).body);

/** A member with default settings, whose push shows that a message has been processed. */
async function otherMember() {
  const [pushes, member] = [await PushService.start(), await createGuest(instance.url)];
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, member.accessToken);
  await must(instance.url, "push.subscribe", pushes.subscription("other"), member.accessToken);
  return { ...member, pushes };
}

/** Sends a marker message and waits for its push, so that all earlier messages have been processed. */
async function expectSame(expected: string[], from = owner): Promise<void> {
  await set({ channelId: openId, level: null, mutedUntil: null });
  await set({ groupId, level: null, mutedUntil: null });
  await send(openId, named("the last"), from);
  await vi.waitFor(() => expect(bodies()).toContain("the last @Ben"), 30_000);
  // Pushes can arrive out of order.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(bodies().toSorted()).toEqual([...expected, "the last @Ben"].toSorted());
}

test("pushes reminders of saved messages, whatever the settings", async () => {
  const messageId = await send(openId, "look at this again");
  await set({ groupId, level: "nothing" });
  const remindAt = new Date(0).toISOString();
  await must(instance.url, "saved.add", { channelId: openId, messageId, remindAt }, me.accessToken);
  await vi.waitFor(() => expect(service.received).toHaveLength(1), 60_000);
  expect(service.received[0]!.payload).toEqual({
    title: "Reminder: Ann",
    body: "look at this again",
    channelId: openId,
    groupId,
    messageId,
  });
}, 90_000);

test("pushes mentions and direct messages, signed and encrypted, in the user's language", async () => {
  const messageId = await send(openId, named("**hello**"));
  await vi.waitFor(() => expect(service.received).toHaveLength(1), 30_000);
  const [{ payload, headers, path }] = service.received as [Received];
  expect(payload).toEqual({
    title: "Ann mentioned you",
    body: "**hello** @Ben",
    channelId: openId,
    groupId,
    messageId,
  });
  expect(path).toBe("/phone");
  expect(headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  const { publicKey } = await must(instance.url, "push.getKey", {}, me.accessToken);
  expect(headers.authorization).toMatch(new RegExp(`^vapid t=.+, k=${publicKey}$`));
  await must(instance.url, "user.updateProfile", { locale: "zh" }, me.accessToken);
  const { channel } = await must(
    instance.url,
    "channel.openDirect",
    { userId: me.user.id },
    owner.accessToken,
  );
  await send(channel.id, "no names here");
  await send(openId, named("again"));
  await vi.waitFor(() => expect(service.received).toHaveLength(3), 30_000);
  expect(service.received.map((one) => (one.payload as { title: string }).title).toSorted()).toEqual(
    ["Ann", "Ann 提到了你", "Ann mentioned you"].toSorted(),
  );
});

test("names people as in the group of the message", async () => {
  const nickname = (name: string, { accessToken }: Pick<Person, "accessToken">) =>
    must(instance.url, "group.setOwnNickname", { groupId, nickname: name }, accessToken);
  await nickname("Captain", owner);
  await nickname("Pilot", me);
  await send(openId, named("ready?"));
  await vi.waitFor(() => expect(service.received).toHaveLength(1), 30_000);
  expect(service.received[0]!.payload).toMatchObject({
    title: "Captain mentioned you",
    body: "ready? @Pilot",
  });
  const direct = { userId: me.user.id };
  const { channel } = await must(instance.url, "channel.openDirect", direct, owner.accessToken);
  await send(channel.id, named("alone?"));
  await vi.waitFor(() => expect(service.received).toHaveLength(2), 30_000);
  expect(bodies()).toContain("alone? @Ben");
});

test("marks a webhook with the name of a member", async () => {
  const hook = { channelId: openId, name: "Ann" };
  const { path } = await must(instance.url, "webhook.create", hook, owner.accessToken);
  const answer = await fetch(`${instance.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content: named("send me your password") }),
  });
  expect(answer.status).toBe(200);
  await vi.waitFor(() => expect(service.received).toHaveLength(1), 30_000);
  expect(service.received[0]!.payload).toMatchObject({ title: "Ann (webhook) mentioned you" });
});

test("retries when the push service is down", { tags: "long" }, async () => {
  service.status = 503;
  await send(openId, named("are you there?"));
  await vi.waitFor(() => expect(service.received.length).toBeGreaterThan(1));
  service.status = 201;
  const before = service.received.length;
  await vi.waitFor(() => expect(service.received.length).toBe(before + 1));
  await expectSame(Array.from({ length: before + 1 }, () => "are you there? @Ben"));
});

test("doesn't push hidden messages, one's own, or those without a mention", async () => {
  await send(privateId, named("psst"));
  await send(openId, "no one");
  await send(privateId, "@everyone who is let in");
  await send(openId, "@here only, and `@everyone` in code");
  const own = { channelId: openId, content: named("me"), nonce: "own" };
  await must(instance.url, "message.send", own, me.accessToken);
  await expectSame([]);
});

test("doesn't push to kicked users or those who have blocked the author", async () => {
  const [member, other] = [await createGuest(instance.url), await createGuest(instance.url)];
  for (const { accessToken } of [member, other]) {
    const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
    await must(instance.url, "invite.accept", { code: invite.code }, accessToken);
  }
  const outside = await PushService.start();
  await must(instance.url, "push.subscribe", outside.subscription("out"), member.accessToken);
  await must(instance.url, "group.kick", { groupId, userId: member.userId }, owner.accessToken);
  await send(openId, `<@${member.userId}> you are out`);
  await must(instance.url, "user.block", { userId: owner.userId }, me.accessToken);
  await send(openId, named("are you there?"));
  await expectSame([], other);
  expect(outside.received).toEqual([]);
  await outside.stop();
});

test("follows the notification settings", async () => {
  const other = await otherMember();
  await set({ groupId, level: "nothing" });
  await send(openId, `${named("unwanted")} <@${other.userId}>`);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(1), 30_000);
  await set({ channelId: openId, level: "all" });
  await send(openId, "anything");
  await vi.waitFor(() => expect(bodies()).toEqual(["anything"]), 30_000);
  await set({ channelId: openId, mutedUntil: new Date(Date.now() + 60_000).toISOString() });
  await send(openId, `${named("while muted")} <@${other.userId}>`);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(2), 30_000);
  await other.pushes.stop();
  await expectSame(["anything"]);
});

test("doesn't push to connected users", async () => {
  const client = new FanfareClient({ url: instance.url });
  client.useTokens(me);
  await client.connect();
  await vi.waitFor(async () => {
    const { presences } = await must(
      instance.url,
      "presence.watch",
      { userIds: [me.user.id] },
      owner.accessToken,
    );
    expect(presences[0]?.status).toBe("online");
  }, 30_000);
  await send(openId, named("you see this"));
  client.close();
  await vi.waitFor(async () => {
    await send(openId, named("the first that is pushed"));
    expect(service.received.length).toBeGreaterThan(0);
  }, 10_000);
  expect(bodies()).not.toContain("you see this @Ben");
});

test("a subscription ends with its session, and when the push service reports it as gone", async () => {
  const login = { username: me.username, password: "correct horse" };
  const other = await must(instance.url, "user.login", login);
  await subscribe("laptop", other.accessToken);
  expect(await list()).toHaveLength(2);
  await must(instance.url, "user.logout", {}, other.accessToken);
  await vi.waitFor(async () => expect(await list()).toMatchObject([{ sessionId: me.sessionId }]), 30_000);
  service.status = 410;
  await send(openId, named("are you there?"));
  await vi.waitFor(async () => expect(await list()).toEqual([]), 30_000);
  expect(service.received.map(({ path }) => path)).toEqual(["/phone"]);
});

test("there is one subscription per browser and per session, and others can't end it", async () => {
  await subscribe("new phone");
  expect(await list()).toHaveLength(1);
  const stranger = await createGuest(instance.url);
  const { endpoint } = service.subscription("new phone");
  await must(instance.url, "push.unsubscribe", { endpoint }, stranger.accessToken);
  expect(await list()).toHaveLength(1);
  await subscribe("new phone", stranger.accessToken);
  expect(await list()).toEqual([]);
  expect(await list(stranger.accessToken)).toHaveLength(1);
  await must(instance.url, "push.unsubscribe", { endpoint }, stranger.accessToken);
  expect(await list(stranger.accessToken)).toEqual([]);
});

test("doesn't connect to addresses of the server's own network", async () => {
  const closed = await startInstance();
  const account = { username: "inside", password: "correct horse" };
  const tokens = await must(closed.url, "user.register", account);
  await must(closed.url, "push.subscribe", service.subscription("inside"), tokens.accessToken);
  const writer = await createAccount(closed.url);
  const ofUser = { userId: tokens.user.id };
  const { channel } = await must(closed.url, "channel.openDirect", ofUser, writer.accessToken);
  const hello = { channelId: channel.id, content: "hello", nonce: "hello" };
  await must(closed.url, "message.send", hello, writer.accessToken);
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${closed.opsUrl}/metrics`)).text();
    expect(metrics).toContain('fanfare_pushes_total{outcome="failed"} 1');
  }, 30_000);
  expect(service.received).toEqual([]);
  await closed.stop();
});

test("settings require visible channels, and suppressing @everyone keeps the inbox empty", async () => {
  const stranger = await createGuest(instance.url);
  for (const name of ["notification.get", "notification.set"] as const) {
    expect(await post(instance.url, name, { groupId }, stranger.accessToken)).toMatchObject({
      error: { type: "GROUP_NOT_FOUND" },
    });
    expect(await post(instance.url, name, { channelId: privateId }, me.accessToken)).toMatchObject({
      error: { type: "CHANNEL_NOT_FOUND" },
    });
    for (const params of [
      { channelId: openId, groupId },
      { groupId, favorite: true },
    ]) {
      if (name === "notification.get" && "favorite" in params) continue;
      expect(await post(instance.url, name, params, me.accessToken)).toMatchObject({
        error: { type: "VALIDATION_FAILED" },
      });
    }
  }
  await send(openId, "@everyone listen");
  const count = async () => (await must(instance.url, "inbox.getUnreadCount", {}, me.accessToken)).unread;
  const mentions = async () =>
    (await must(instance.url, "channel.listUnread", {}, me.accessToken)).channels[0]?.mentionCount;
  expect([await count(), await mentions()]).toEqual([1, 1]);
  const { setting } = await set({ groupId, suppressEveryone: true });
  expect(setting).toEqual({
    groupId,
    channelId: null,
    level: null,
    mutedUntil: null,
    suppressEveryone: true,
    favorite: false,
    hidden: false,
  });
  expect([await count(), await mentions()]).toEqual([0, 0]);
  await set({ groupId, level: "all" });
  const page = await must(instance.url, "notification.list", {}, me.accessToken);
  expect(page).toEqual({ settings: [{ ...setting, level: "all" }], nextCursor: null });
});

const prefer = (preferences: Params<"notification.setPreferences">) =>
  must(instance.url, "notification.setPreferences", preferences, me.accessToken);

test("pushes messages with a keyword once, unless the place is muted", async () => {
  const { preferences } = await prefer({ keywords: ["launch date", "发布", "LAUNCH DATE"] });
  expect(preferences.keywords).toEqual(["LAUNCH DATE", "发布"]);
  await set({ groupId, level: "all" });
  await send(openId, "about the Launch Date");
  await set({ groupId, level: null });
  await send(openId, "launch dates, and a launch");
  await send(openId, named("the launch date again"));
  await send(openId, "我们讨论发布计划");
  await send(privateId, "a private launch date");
  const outside = await must(instance.url, "group.create", { name: "Another" }, owner.accessToken);
  await send(outside.channels[0]!.id, "launch date elsewhere");
  await vi.waitFor(() => expect(service.received).toHaveLength(3), 30_000);
  const titles = service.received.map(({ payload }) => (payload as { title: string }).title);
  expect(titles).toContain("Ann used one of your keywords");
  const other = await otherMember();
  await set({ channelId: openId, level: "nothing" });
  await send(openId, "launch date, unwanted");
  await send(openId, `<@${other.userId}>`);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(1), 30_000);
  await other.pushes.stop();
  await expectSame(["about the Launch Date", "the launch date again @Ben", "我们讨论发布计划"]);
});

test("keywords of users who can't see a channel don't take the place of those who can", async () => {
  const crowd = Array.from({ length: 1001 }, () => ({
    _id: new mongo.ObjectId(),
    keywords: ["release"],
    keywordKeys: ["release"],
  }));
  const stored = instance.collection("notificationPreferences");
  await stored.insertMany(crowd);
  const other = await otherMember();
  const preferences = { keywords: ["release"] };
  await must(instance.url, "notification.setPreferences", preferences, other.accessToken);
  await set({ groupId, level: "all" });
  await send(openId, "a release");
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(1), 30_000);
  await vi.waitFor(() => expect(bodies()).toEqual(["a release"]), 30_000);
  await other.pushes.stop();
  await stored.deleteMany({ _id: { $in: crowd.map(({ _id }) => _id) } });
}, 90_000);

test("doesn't push in quiet hours, not even direct messages", async () => {
  const other = await otherMember();
  const quietHours = { from: "00:00", to: "00:00", days: [1, 2, 3, 4, 5, 6, 7], timeZone: "Europe/Berlin" };
  await prefer({ quietHours });
  await send(openId, `${named("at night")} <@${other.userId}>`);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(1), 30_000);
  const ofUser = { userId: me.user.id };
  const { channel } = await must(instance.url, "channel.openDirect", ofUser, owner.accessToken);
  await send(channel.id, "are you asleep?");
  await send(openId, `<@${other.userId}>`);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(2), 30_000);
  expect((await must(instance.url, "inbox.getUnreadCount", {}, me.accessToken)).unread).toBe(1);
  await prefer({ quietHours: null });
  await other.pushes.stop();
  await expectSame([]);
});

test("rejects preferences that make no sense", async () => {
  const hours = { from: "22:00", to: "07:00", days: [1], timeZone: "UTC" };
  for (const params of [
    { keywords: ["!?"] },
    { keywords: ["a"] },
    { keywords: Array.from({ length: LIMITS.keywordsPerUser + 1 }, (_, i) => `word${i}`) },
    { quietHours: { ...hours, days: [] } },
    { quietHours: { ...hours, from: "24:00" } },
    { quietHours: { ...hours, timeZone: "Mars/Olympus" } },
  ]) {
    expect(await post(instance.url, "notification.setPreferences", params, me.accessToken)).toMatchObject({
      error: { type: "VALIDATION_FAILED" },
    });
  }
});

test("settings with only defaults are not listed", async () => {
  const list = () => must(instance.url, "notification.list", {}, me.accessToken);
  await set({ channelId: openId, level: "all", mutedUntil: new Date(Date.now() + 60_000).toISOString() });
  await set({ channelId: openId, level: null });
  expect((await list()).settings).toMatchObject([{ channelId: openId, level: null }]);
  await set({ channelId: openId, mutedUntil: null });
  expect((await list()).settings).toEqual([]);
});

test("pushes @everyone and roles, unless turned off in the settings", async () => {
  const role = { groupId, name: "crew", mentionable: true };
  const { id: roleId } = (await must(instance.url, "role.create", role, owner.accessToken)).role;
  const [everyone, crew] = ["@everyone listen", `<@&${roleId}> listen`];
  await send(openId, crew);
  const crewMember = { groupId, roleId, userId: me.user.id };
  await send(openId, everyone);
  await vi.waitFor(() => expect(bodies()).toEqual(["@everyone listen"]), 30_000);
  await must(instance.url, "role.assign", crewMember, owner.accessToken);
  await send(openId, crew);
  await vi.waitFor(() => expect(bodies()).toEqual(["@everyone listen", "@role listen"]), 30_000);
  const other = await otherMember();
  await set({ channelId: openId, level: "all" });
  await send(openId, "@everyone, once");
  await vi.waitFor(() => expect(bodies()).toContain("@everyone, once"), 30_000);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(1), 30_000);
  await set({ channelId: openId, level: null });
  await must(instance.url, "role.assign", { ...crewMember, userId: other.userId }, owner.accessToken);
  await set({ groupId, suppressEveryone: true });
  await send(openId, "@everyone, suppressed");
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(2), 30_000);
  await set({ groupId, level: "nothing" });
  await send(openId, crew);
  await vi.waitFor(() => expect(other.pushes.received).toHaveLength(3), 30_000);
  await other.pushes.stop();
  await expectSame(["@everyone listen", "@role listen", "@everyone, once"]);
});
