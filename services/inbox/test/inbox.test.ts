import { FanfareClient } from "@fanfare/client";
import type { EventPayload, Message } from "@fanfare/contract";
import { createGuest, must, post, type Person } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { MESSAGES_PER_PAGE } from "../src/constants.ts";
import { join as joinGroup, newGroup } from "./new-group.ts";
import { mongo } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

// The inbox always depends on what its user can see at that moment.

let instance: Instance;
let owner: Person;
let me: Person & { username: string };
let groupId: string;
let openId: string;
let privateId: string;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

beforeEach(async () => {
  ({ owner, me, groupId, channelId: openId } = await newGroup(instance.url));
  const secret = { groupId, name: "private", private: true };
  privateId = (await must(instance.url, "channel.create", secret, owner.accessToken)).channel.id;
});

const join = (who: Person): Promise<void> => joinGroup(instance.url, { owner, groupId }, who);

let nonces = 0;
async function send(from: Person, channelId: string, content: string, more: object = {}): Promise<Message> {
  const params = { channelId, content, nonce: String((nonces += 1)), ...more };
  return (await must(instance.url, "message.send", params, from.accessToken)).message;
}

const list = (who: Person = me, params: { cursor?: string; limit?: number } = {}) =>
  must(instance.url, "inbox.list", params, who.accessToken);
const texts = async (who: Person = me): Promise<string[]> =>
  (await list(who)).items.map(({ message }) => message.content);
const unread = async (who: Person = me): Promise<number> =>
  (await must(instance.url, "inbox.getUnreadCount", {}, who.accessToken)).unread;
const listUnread = async (who: Person = me) =>
  (await must(instance.url, "channel.listUnread", {}, who.accessToken)).channels;

test("lists mentions by name, role, @everyone and reply, newest first, but not those of other users or by oneself", async () => {
  const { role } = await must(
    instance.url,
    "role.create",
    { groupId, name: "crew", mentionable: true },
    owner.accessToken,
  );
  const crew = { groupId, roleId: role.id, userId: me.userId };
  const mine = await send(me, openId, "what I said");
  await send(owner, openId, `one <@${me.userId}>`);
  await send(owner, openId, `before I had the role <@&${role.id}>`);
  await send(owner, openId, "@everyone three");
  await send(owner, openId, "four", { replyTo: mine.id });
  await send(owner, openId, "five, quietly", { replyTo: mine.id, mentionAuthor: false });
  await send(owner, openId, `six <@${owner.userId}> and \`<@${me.userId}>\``);
  await send(me, openId, `me <@${me.userId}> <@&${role.id}>`);
  expect(await texts()).toEqual(["four", "@everyone three", `one <@${me.userId}>`]);
  await must(instance.url, "role.assign", crew, owner.accessToken);
  expect(await texts()).toHaveLength(4);
  await must(instance.url, "role.unassign", crew, owner.accessToken);
  expect(await texts()).toHaveLength(3);
  expect(await unread()).toBe(3);
});

test("a mention in a private channel is hidden from users who can't see it, and appears once they can", async () => {
  const content = `psst <@${me.userId}> @everyone`;
  await send(owner, privateId, content);
  await send(owner, openId, "@everyone openly");
  expect(await texts()).toEqual(["@everyone openly"]);
  expect(await unread()).toBe(1);
  expect((await listUnread()).map(({ channelId }) => channelId)).toEqual([openId]);
  const target = { type: "member" as const, id: me.userId };
  const allow = { channelId: privateId, target, allow: 1, deny: 0 };
  await must(instance.url, "channel.setOverride", allow, owner.accessToken);
  expect(await texts()).toEqual(["@everyone openly", content]);
  expect((await listUnread()).map(({ channelId }) => channelId).sort()).toEqual([openId, privateId].sort());
  await must(instance.url, "channel.removeOverride", { channelId: privateId, target }, owner.accessToken);
  expect(await texts()).toEqual(["@everyone openly"]);
});

test("users and roles can't be mentioned where they aren't", async () => {
  const role = { groupId, name: "crew", mentionable: true };
  const { role: crew } = await must(instance.url, "role.create", role, owner.accessToken);
  const crewMember = { groupId, roleId: crew.id, userId: me.userId };
  await must(instance.url, "role.assign", crewMember, owner.accessToken);
  const stranger = await newGroup(instance.url);
  const content = `<@${me.userId}> <@&${crew.id}>`;
  expect((await send(stranger.owner, stranger.channelId, content)).mentions).toBeUndefined();
  const direct = { userId: stranger.me.userId };
  const { channel } = await must(instance.url, "channel.openDirect", direct, stranger.owner.accessToken);
  const sent = await send(stranger.owner, channel.id, `${content} <@${stranger.me.userId}>`);
  expect(sent.mentions).toEqual({ userIds: [stranger.me.userId], roleIds: [], everyone: false });
  expect((await send(owner, openId, content)).mentions).toMatchObject({ roleIds: [crew.id] });
  expect(await texts()).toEqual([content]);
});

test("many mentions that a user can't see don't hide those that they can", async () => {
  await send(owner, openId, `one <@${me.userId}>`);
  const messages = instance.collection("messages");
  const { _id: _, ...stored } = (await messages.findOne({ channelId: new mongo.ObjectId(openId) }))!;
  const [channelId, start] = [new mongo.ObjectId(), Math.floor(Date.now() / 1000) + 1];
  const hidden = Array.from({ length: 2 * MESSAGES_PER_PAGE }, (__, i) => {
    const _id = mongo.ObjectId.createFromTime(start + i);
    const mentioned = { mentionedId: _id, mentionedIn: channelId, mentionedSeq: i };
    return { ...stored, _id, channelId, seq: i, rev: i, revs: [i], nonce: `flood ${i}`, ...mentioned };
  });
  await messages.insertMany(hidden);
  expect(await unread()).toBe(1);
  expect(await texts()).toEqual([`one <@${me.userId}>`]);
});

test("mentions disappear after a kick, and are back after rejoining", async () => {
  await send(owner, openId, `one <@${me.userId}>`);
  await send(owner, openId, "@everyone two");
  expect(await unread()).toBe(2);
  await must(instance.url, "group.kick", { groupId, userId: me.userId }, owner.accessToken);
  expect(await texts()).toEqual([]);
  expect(await unread()).toBe(0);
  expect(await listUnread()).toEqual([]);
  await join(me);
  expect(await texts()).toHaveLength(2);
  await must(instance.url, "group.delete", { groupId }, owner.accessToken);
  expect(await texts()).toEqual([]);
  expect(await listUnread()).toEqual([]);
});

test("deleted messages, and those that no longer mention the user, disappear", async () => {
  const [first, second] = [
    await send(owner, openId, `one <@${me.userId}>`),
    await send(owner, openId, `two <@${me.userId}>`),
  ];
  const edited = { channelId: openId, messageId: first.id, content: "no one" };
  await must(instance.url, "message.edit", edited, owner.accessToken);
  await must(instance.url, "message.delete", { channelId: openId, messageId: second.id }, owner.accessToken);
  expect(await texts()).toEqual([]);
});

test("unread channels have heads, read markers and later mentions, and disappear when read", async () => {
  await send(owner, openId, `one <@${me.userId}>`);
  await must(instance.url, "channel.markRead", { channelId: openId, seq: 1 }, me.accessToken);
  expect(await listUnread()).toEqual([]);
  await send(owner, openId, `two <@${me.userId}> @everyone`);
  await send(owner, openId, "three");
  const direct = await must(instance.url, "channel.openDirect", { userId: me.userId }, owner.accessToken);
  await send(owner, direct.channel.id, "hello");
  expect(await listUnread()).toEqual([
    {
      channelId: direct.channel.id,
      groupId: null,
      parentId: null,
      head: { seq: 1, rev: 1 },
      lastReadSeq: 0,
      mentionCount: 0,
    },
    { channelId: openId, groupId, parentId: null, head: { seq: 3, rev: 3 }, lastReadSeq: 1, mentionCount: 1 },
  ]);
  expect((await list()).items.map((item) => item.unread)).toEqual([true, false]);
  expect(await unread()).toBe(1);
});

test("mentions sent while unread channels are listed are counted only up to the listed head", async () => {
  const listed: Awaited<ReturnType<typeof listUnread>> = [];
  const sendAndList = async () => {
    for (let count = 0; count < 15; count++) {
      await send(owner, openId, `<@${me.userId}>`);
      listed.push(...(await listUnread()));
    }
  };
  await Promise.all(Array.from({ length: 5 }, sendAndList));
  expect(listed.filter(({ head, mentionCount }) => mentionCount !== head.seq)).toEqual([]);
  expect(await listUnread()).toMatchObject([{ head: { seq: 75 }, mentionCount: 75 }]);
});

test("marks a group or everything as read; other users' groups are not found", async () => {
  const other = await must(instance.url, "group.create", { name: "Another" }, owner.accessToken);
  const { invite } = await must(
    instance.url,
    "invite.create",
    { groupId: other.group.id },
    owner.accessToken,
  );
  await must(instance.url, "invite.accept", { code: invite.code }, me.accessToken);
  const otherId = other.channels[0]!.id;
  const root = await send(owner, openId, `one <@${me.userId}>`);
  const thread = { channelId: openId, messageId: root.id };
  const threadId = (await must(instance.url, "channel.openThread", thread, owner.accessToken)).channel.id;
  await send(owner, threadId, `in the thread <@${me.userId}>`);
  await send(owner, otherId, `two <@${me.userId}>`);
  expect(await unread()).toBe(3);
  // Threads are followed in the background after a message.
  await expect.poll(() => listUnread()).toHaveLength(3);
  const marked = await must(instance.url, "inbox.markGroupRead", { groupId }, me.accessToken);
  expect(marked).toEqual({ channelIds: [openId, threadId] });
  expect((await listUnread()).map(({ channelId }) => channelId)).toEqual([otherId]);
  expect(await must(instance.url, "inbox.markAllRead", {}, me.accessToken)).toEqual({
    channelIds: [otherId],
    nextCursor: null,
  });
  expect(await listUnread()).toEqual([]);
  expect(await unread()).toBe(0);
  const stranger = await createGuest(instance.url);
  expect(await post(instance.url, "inbox.markGroupRead", { groupId }, stranger.accessToken)).toMatchObject({
    error: { type: "GROUP_NOT_FOUND" },
  });
});

test("pages have no gaps or duplicates, even when messages are skipped", async () => {
  const expected: string[] = [];
  for (let i = 0; i < 30; i++) {
    const seen = i % 3 !== 0;
    const { content } = await send(owner, seen ? openId : privateId, `${i} <@${me.userId}> @everyone`);
    if (seen) expected.unshift(content);
  }
  const all: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list(me, { limit: 7, ...(cursor !== null && { cursor }) });
    all.push(...page.items.map(({ message }) => message.content));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(all).toEqual(expected);
});

test("markers only move forward, not into the future, and clearing removes older mentions", async () => {
  const [first, second] = [
    await send(owner, openId, `one <@${me.userId}>`),
    await send(owner, openId, `two <@${me.userId}>`),
  ];
  const markRead = (messageId: string) => must(instance.url, "inbox.markRead", { messageId }, me.accessToken);
  const marker = { readUpToId: second.id, clearedUpToId: null };
  expect(await markRead(second.id)).toEqual({ marker });
  expect(await markRead(first.id)).toEqual({ marker });
  expect(await unread()).toBe(0);
  expect(await texts()).toHaveLength(2);
  const cleared = await must(instance.url, "inbox.clear", { messageId: first.id }, me.accessToken);
  expect(cleared).toEqual({ marker: { readUpToId: second.id, clearedUpToId: first.id } });
  expect(await texts()).toEqual([`two <@${me.userId}>`]);
  const far = (await markRead("f".repeat(24))).marker.readUpToId!;
  expect(Number.parseInt(far.slice(0, 8), 16)).toBeLessThan(Date.now() / 1000 + 10);
});

test("counts no more mentions than are shown", async () => {
  for (let i = 0; i < 110; i++) await send(owner, openId, `<@${me.userId}>`);
  expect(await unread()).toBe(100);
  expect((await listUnread())[0]?.mentionCount).toBe(100);
});

/** A client logged in as `me`, not connected yet. */
async function newClient(): Promise<FanfareClient> {
  const client = new FanfareClient({ url: instance.url });
  client.useTokens(
    await must(instance.url, "user.login", { username: me.username, password: "correct horse" }),
  );
  return client;
}

test("notifies a mentioned user immediately, unless they can't see the channel", async () => {
  const client = await newClient();
  const received: EventPayload<"inbox.added">[] = [];
  client.on("inbox.added", (added) => void received.push(added));
  await client.connect();
  await send(owner, privateId, `psst <@${me.userId}>`);
  await send(owner, openId, "@everyone");
  const named = await send(owner, openId, `you <@${me.userId}>`);
  await vi.waitFor(() => expect(received).toHaveLength(1), 5000);
  expect(received).toEqual([{ message: named, groupId }]);
  client.close();
});

test("thread.followed is sent only for threads that the user can see", async () => {
  const client = await newClient();
  const followed: string[] = [];
  client.on("thread.followed", ({ channelId }) => void followed.push(channelId));
  await client.connect();
  const threads: string[] = [];
  for (const channelId of [privateId, openId]) {
    const { id: messageId } = await send(owner, channelId, "a beginning");
    const opened = await must(
      instance.url,
      "channel.openThread",
      { channelId, messageId },
      owner.accessToken,
    );
    threads.push(opened.channel.id);
  }
  for (const threadId of threads) await send(owner, threadId, `psst <@${me.userId}>`);
  await expect.poll(() => followed).not.toEqual([]);
  expect(followed).toEqual([threads[1]]);
  client.close();
});

test("followed threads are listed as unread while the user can see their parent", async () => {
  const threadAt = async (channelId: string, by: Person): Promise<string> => {
    const { id: messageId } = await send(owner, channelId, "a beginning");
    const opened = await must(instance.url, "channel.openThread", { channelId, messageId }, by.accessToken);
    return opened.channel.id;
  };
  const unreadThreads = async () =>
    (await listUnread()).filter(({ parentId }) => parentId !== null).map(({ channelId }) => channelId);
  const [opened, written, named, strange] = [
    await threadAt(openId, me),
    await threadAt(openId, owner),
    await threadAt(openId, owner),
    await threadAt(openId, owner),
  ];
  await send(me, written, "mine");
  for (const threadId of [opened, written, strange]) await send(owner, threadId, "others'");
  await send(owner, named, `look <@${me.userId}>`);
  const mine = [opened, written, named].sort();
  await expect.poll(async () => (await unreadThreads()).sort()).toEqual(mine);
  const one = (await listUnread()).find(({ channelId }) => channelId === named);
  expect(one).toMatchObject({ groupId, parentId: openId, lastReadSeq: 0, mentionCount: 1 });

  await must(instance.url, "channel.markRead", { channelId: opened, seq: 1 }, me.accessToken);
  expect(await unreadThreads()).not.toContain(opened);
  await must(instance.url, "channel.delete", { channelId: named }, owner.accessToken);
  await expect.poll(unreadThreads).toEqual([written]);
  await must(instance.url, "inbox.markGroupRead", { groupId }, me.accessToken);
  expect(await unreadThreads()).toEqual([]);

  await send(owner, written, "again");
  expect(await unreadThreads()).toEqual([written]);
  const everyone = { channelId: openId, target: { type: "everyone" as const }, allow: 0, deny: 1 };
  await must(instance.url, "channel.setOverride", everyone, owner.accessToken);
  expect(await unreadThreads()).toEqual([]);
});
