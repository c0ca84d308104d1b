import { FanfareClient } from "@fanfare/client";
import { type Params, PERMISSIONS } from "@fanfare/contract";
import { createAccount, must, post, type Person } from "@fanfare/testing";
import { Types } from "mongoose";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

// Search results follow what the user can see at that moment, in a complete instance.

let instance: Instance;
let owner: Person;
let member: Person & { username: string };
let groupId: string;
let openId: string;
let privateId: string;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

beforeEach(async () => {
  [owner, member] = [await createAccount(instance.url), await createAccount(instance.url)];
  const made = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
  groupId = made.group.id;
  openId = made.channels[0]!.id;
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, member.accessToken);
  const secret = { groupId, name: "private", private: true };
  privateId = (await must(instance.url, "channel.create", secret, owner.accessToken)).channel.id;
  await send(owner, openId, "an open secret");
  await send(owner, privateId, "a true secret");
});

let nonces = 0;
async function send({ accessToken }: Person, channelId: string, content: string): Promise<string> {
  const params = { channelId, content, nonce: String((nonces += 1)) };
  return (await must(instance.url, "message.send", params, accessToken)).message.id;
}

async function find({ accessToken }: Person, wanted: Params<"message.search">): Promise<string[] | string> {
  const answer = await post(instance.url, "message.search", wanted, accessToken);
  return answer.ok ? answer.data.messages.map(({ content }) => content) : answer.error.type;
}

test("a private channel is searched only for users who can see it, and only while they can", async () => {
  const wanted = { groupId, text: "secret" };
  expect(await find(owner, wanted)).toEqual(["a true secret", "an open secret"]);
  expect(await find(member, wanted)).toEqual(["an open secret"]);
  expect(await find(member, { channelId: privateId, text: "secret" })).toBe("CHANNEL_NOT_FOUND");
  await must(instance.url, "group.kick", { groupId, userId: member.userId }, owner.accessToken);
  expect(await find(member, wanted)).toBe("GROUP_NOT_FOUND");
  expect(await find(member, { channelId: openId, text: "secret" })).toBe("CHANNEL_NOT_FOUND");
});

test("threads are found in their channel and group by users who see the channel, until deleted", async () => {
  const openThreadOf = async (channelId: string): Promise<string> => {
    const messageId = await send(owner, channelId, "a beginning");
    const params = { channelId, messageId };
    return (await must(instance.url, "channel.openThread", params, owner.accessToken)).channel.id;
  };
  const [openThread, privateThread] = [await openThreadOf(openId), await openThreadOf(privateId)];
  await send(member, openThread, "a threaded secret");
  await send(owner, privateThread, "a hidden secret");
  const wanted = { groupId, text: "secret" };
  expect(await find(member, wanted)).toEqual(["a threaded secret", "an open secret"]);
  expect(await find(member, { channelId: openId, text: "secret" })).toHaveLength(2);
  expect(await find(member, { channelId: openThread, text: "secret" })).toEqual(["a threaded secret"]);
  expect(await find(member, { channelId: privateThread, text: "secret" })).toBe("CHANNEL_NOT_FOUND");
  expect(await find(owner, wanted)).toHaveLength(4);
  const { threads } = await must(instance.url, "message.search", wanted, owner.accessToken);
  const places = threads.map(({ id, parentId }) => ({ id, parentId }));
  expect(places).toHaveLength(2);
  expect(places).toContainEqual({ id: privateThread, parentId: privateId });
  await must(instance.url, "channel.delete", { channelId: openThread }, owner.accessToken);
  expect(await find(member, wanted)).toEqual(["an open secret"]);
});

test("what is edited in an old thread is found at once", async () => {
  const params = { channelId: openId, messageId: await send(owner, openId, "a beginning") };
  const { channel } = await must(instance.url, "channel.openThread", params, owner.accessToken);
  const messageId = await send(owner, channel.id, "zebras");
  const of = { _id: new Types.ObjectId(channel.id) };
  const longAgo = new Date(Date.now() - 3_600_000);
  // The activity is recorded a second later.
  const opened = (await instance.collection("channels").findOne(of))!["lastActivityAt"];
  const isRecorded = async () =>
    (await instance.collection("channels").findOne(of))!["lastActivityAt"] > opened;
  await expect.poll(isRecorded).toBe(true);
  await instance.collection("channels").updateOne(of, { $set: { lastActivityAt: longAgo } });
  await instance.collection("channelHeads").updateOne(of, { $set: { changedAt: longAgo } });
  const places = [{ groupId }, { channelId: openId }, { everywhere: true as const }];
  for (const place of places) expect(await find(owner, { ...place, text: "zebras" })).toEqual(["zebras"]);
  const edited = { channelId: channel.id, messageId, content: "giraffes" };
  await must(instance.url, "message.edit", edited, owner.accessToken);
  for (const place of places) {
    expect(await find(owner, { ...place, text: "zebras" })).toEqual([]);
    expect(await find(owner, { ...place, text: "giraffes" })).toEqual(["giraffes"]);
  }
});

test("a global search covers the groups and direct messages the user is in, and the channels they can see", async () => {
  const made = await must(instance.url, "group.create", { name: "Another" }, owner.accessToken);
  const otherGroup = made.group.id;
  const { invite } = await must(instance.url, "invite.create", { groupId: otherGroup }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, member.accessToken);
  const direct = await must(instance.url, "channel.openDirect", { userId: member.userId }, owner.accessToken);
  const third = await createAccount(instance.url);
  await must(instance.url, "invite.accept", { code: invite.code }, third.accessToken);
  const userIds = [member.userId, third.userId];
  const several = await must(instance.url, "channel.createGroupDirect", { userIds }, owner.accessToken);
  const strangers = await must(
    instance.url,
    "channel.openDirect",
    { userId: third.userId },
    owner.accessToken,
  );
  await send(owner, made.channels[0]!.id, "another secret");
  await send(owner, direct.channel.id, "a direct secret");
  await send(third, several.channel.id, "a shared secret");
  await send(third, strangers.channel.id, "a foreign secret");
  const wanted = { everywhere: true, text: "secret" } as const;
  const all = ["a shared secret", "a direct secret", "another secret", "an open secret"];
  expect(await find(member, wanted)).toEqual(all);
  expect(await find(member, { ...wanted, from: third.userId })).toEqual(["a shared secret"]);
  expect(await find(third, wanted)).toEqual(["a foreign secret", "a shared secret", "another secret"]);
  expect(await find(owner, wanted)).toHaveLength(6);

  const hidden = {
    channelId: openId,
    target: { type: "everyone" },
    allow: 0,
    deny: PERMISSIONS.view,
  } as const;
  await must(instance.url, "channel.setOverride", hidden, owner.accessToken);
  expect(await find(member, wanted)).toEqual(all.slice(0, 3));
  const banned = { groupId: otherGroup, userId: member.userId };
  await must(instance.url, "group.ban", banned, owner.accessToken);
  expect(await find(member, wanted)).toEqual(all.slice(0, 2));
  await must(
    instance.url,
    "channel.removeFromDirect",
    { channelId: several.channel.id, userId: member.userId },
    member.accessToken,
  );
  expect(await find(member, wanted)).toEqual(["a direct secret"]);
  // As in the channel itself, a block prevents writing but not reading.
  await must(instance.url, "user.block", { userId: member.userId }, owner.accessToken);
  expect(await find(member, { channelId: direct.channel.id, text: "secret" })).toEqual(["a direct secret"]);
  expect(await find(member, wanted)).toEqual(["a direct secret"]);
  await must(instance.url, "group.leave", { groupId }, member.accessToken);
  expect(await find(member, wanted)).toEqual(["a direct secret"]);
});

test("a global search finds threads of several groups, including recently active ones", async () => {
  const made = await must(instance.url, "group.create", { name: "Another" }, owner.accessToken);
  const threads: string[] = [];
  for (const channelId of [openId, made.channels[0]!.id]) {
    const messageId = await send(owner, channelId, "a beginning");
    const opened = await must(
      instance.url,
      "channel.openThread",
      { channelId, messageId },
      owner.accessToken,
    );
    threads.push(opened.channel.id);
  }
  for (const text of ["balloons", "airships"]) {
    for (const threadId of threads) await send(owner, threadId, text);
    expect(await find(owner, { everywhere: true, text })).toHaveLength(2);
    expect(await find(owner, { groupId, text })).toEqual([text]);
  }
  const { threads: found } = await must(
    instance.url,
    "message.search",
    { everywhere: true, text: "airships" },
    owner.accessToken,
  );
  expect(new Set(found.map((thread) => thread.groupId))).toEqual(new Set([groupId, made.group.id]));
});

/** The texts before and after each found message. */
async function findAround({ accessToken }: Person, wanted: Params<"message.search">) {
  const params = { ...wanted, withContext: true };
  const { messages, context = [] } = await must(instance.url, "message.search", params, accessToken);
  expect(context.map(({ messageId }) => messageId)).toEqual(messages.map(({ id }) => id));
  return context.map(({ before, after }) => [before?.content ?? null, after?.content ?? null]);
}

test("found messages come with the messages just before and after them, without deleted ones", async () => {
  const ids = new Map<string, string>();
  const write = async (...contents: string[]) => {
    for (const content of contents) ids.set(content, await send(member, openId, content));
  };
  const remove = async (...contents: string[]) => {
    for (const content of contents) {
      const one = { channelId: openId, messageId: ids.get(content)! };
      await must(instance.url, "message.delete", one, member.accessToken);
    }
  };
  const wanted = { channelId: openId, text: "needle" };
  await write("who has it?", "a needle", "here", "gone", "last needle");
  await remove("gone");
  expect(await findAround(owner, { channelId: openId, text: "secret" })).toEqual([[null, "who has it?"]]);
  expect(await findAround(owner, wanted)).toEqual([
    ["here", null],
    ["who has it?", "here"],
  ]);
  await write("one more needle");
  // Only a few deleted ones are looked past.
  await write("x", "y", "z", "a lonely needle");
  await remove("x", "y", "z");
  expect(await findAround(owner, wanted)).toEqual([
    [null, null],
    ["last needle", null],
    ["here", "one more needle"],
    ["who has it?", "here"],
  ]);
});

test("neighbors are of the same channel or thread, shortened, and only there on request", async () => {
  const long = `${"a".repeat(198)}👍 and more`;
  const messageId = await send(member, openId, long);
  await send(owner, privateId, "hidden");
  const params = { channelId: openId, messageId };
  const thread = (await must(instance.url, "channel.openThread", params, owner.accessToken)).channel.id;
  await send(owner, thread, "in the thread");
  await send(owner, thread, "a needle in the thread");
  await send(owner, openId, "a needle");
  const wanted = { groupId, text: "needle" };
  const short = [`${"a".repeat(198)}…`, null];
  // The time of a thread's last message is stored with a delay of a second.
  await expect.poll(() => findAround(member, wanted)).toEqual([short, ["in the thread", null]]);
  await send(owner, privateId, "a hidden needle");
  expect(await findAround(member, wanted)).toEqual([short, ["in the thread", null]]);
  expect(await findAround(owner, wanted)).toEqual([["hidden", null], short, ["in the thread", null]]);

  const found = (more: object) =>
    must(instance.url, "message.search", { ...wanted, ...more }, owner.accessToken);
  expect((await found({})).context).toBeUndefined();
  const { users = [] } = await found({ withContext: true, withUsers: true });
  expect(users.map(({ id }) => id)).toContain(member.userId);
  const none = await found({ withContext: true, text: "nowhere" });
  expect(none).toMatchObject({ messages: [], context: [] });
});

test("new, edited, pinned and deleted messages are up to date in the next search", async () => {
  const messageId = await send(member, openId, "first words");
  expect(await find(owner, { channelId: openId, text: "words" })).toEqual(["first words"]);
  const one = { channelId: openId, messageId };
  await must(instance.url, "message.edit", { ...one, content: "other words" }, member.accessToken);
  await must(instance.url, "message.pin", one, owner.accessToken);
  expect(await find(owner, { groupId, text: "first" })).toEqual([]);
  expect(await find(owner, { groupId, has: ["pin"] })).toEqual(["other words"]);
  await must(instance.url, "message.delete", one, owner.accessToken);
  expect(await find(owner, { groupId, has: ["pin"] })).toEqual([]);
});

test("a client's copy of a channel gets others' reactions and pins, also those it missed", async () => {
  const messageId = await send(owner, openId, "look at this");
  const client = new FanfareClient({ url: instance.url });
  client.useTokens(
    await must(instance.url, "user.login", { username: member.username, password: "correct horse" }),
  );
  await client.connect();
  const view = client.channel(openId);
  await view.load();
  const shown = () => view.messages.find(({ id }) => id === messageId)!;
  const one = { channelId: openId, messageId };
  await must(instance.url, "message.react", { ...one, emoji: "👍" }, owner.accessToken);
  await vi.waitFor(() => expect(shown().reactions?.[0]).toMatchObject({ emoji: "👍", count: 1 }), 5000);
  await must(instance.url, "message.pin", one, owner.accessToken);
  await client.call("message.react", { ...one, emoji: "👍" });
  await vi.waitFor(
    () => expect(shown()).toMatchObject({ pinnedBy: owner.userId, reactions: [{ count: 2 }] }),
    5000,
  );
  client.close();
});
