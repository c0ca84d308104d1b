import { LIMITS, type ActionName, type Params } from "@fanfare/contract";
import { createAccount, createWorld, post } from "@fanfare/testing";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uploadEmoji } from "../support/emoji.ts";
import { type Instance, startInstance } from "../support/instance.ts";

// What calls can't reach within a test is written into the database.

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

type Person = Awaited<ReturnType<typeof createAccount>>;

const collection = (name: string) => instance.collection(name);
const answerTo = <N extends ActionName>(who: { accessToken: string }, name: N, params: Params<N>) =>
  post(instance.url, name, params, who.accessToken);
const reached = (limit: keyof typeof LIMITS) => ({
  ok: false,
  error: { type: "LIMIT_REACHED", data: { limit, max: LIMITS[limit] } },
});

const fillFriendships = (who: Person, state: "requested" | "friends", count: number) =>
  collection("friendships").insertMany(
    Array.from({ length: count }, () => {
      const other = new Types.ObjectId();
      const userIds = [new Types.ObjectId(who.userId), other];
      const pair = userIds.map((id) => id.toHexString()).sort();
      return { pair: pair.join(":"), userIds, state, requestedBy: other, since: new Date() };
    }),
  );

test("friend requests are limited for sender and recipient", async () => {
  const [full, other] = [await createAccount(instance.url), await createAccount(instance.url)];
  await fillFriendships(full, "requested", LIMITS.friendRequestsPerUser - 1);
  const third = await createAccount(instance.url);
  expect(await answerTo(third, "friend.request", { userId: full.userId })).toMatchObject({ ok: true });
  const refused = reached("friendRequestsPerUser");
  expect(await answerTo(other, "friend.request", { userId: full.userId })).toMatchObject(refused);
  expect(await answerTo(full, "friend.request", { userId: other.userId })).toMatchObject(refused);
});

test("friends are limited on both sides", async () => {
  const [full, other] = [await createAccount(instance.url), await createAccount(instance.url)];
  await fillFriendships(full, "friends", LIMITS.friendsPerUser);
  await answerTo(other, "friend.request", { userId: full.userId });
  const refused = reached("friendsPerUser");
  expect(await answerTo(full, "friend.accept", { userId: other.userId })).toMatchObject(refused);
  expect(await answerTo(full, "friend.request", { userId: other.userId })).toMatchObject(refused);
});

test("the last friend and the last block can be repeated at the limit", async () => {
  const [full, last, other] = [
    await createAccount(instance.url),
    await createAccount(instance.url),
    await createAccount(instance.url),
  ];
  await fillFriendships(full, "friends", LIMITS.friendsPerUser - 1);
  await almostFill("blocks", "blockedPerUser", () => ({
    userId: new Types.ObjectId(full.userId),
    blockedId: new Types.ObjectId(),
  }));
  await answerTo(last, "friend.request", { userId: full.userId });
  for (const _ of [1, 2])
    expect(await answerTo(full, "friend.accept", { userId: last.userId })).toMatchObject({ ok: true });
  for (const _ of [1, 2])
    expect(await answerTo(full, "user.block", { userId: last.userId })).toMatchObject({ ok: true });
  expect(await answerTo(full, "user.block", { userId: other.userId })).toMatchObject(
    reached("blockedPerUser"),
  );
});

test("active threads are limited per channel, and archived ones don't count", async () => {
  const { owner, member, channel, group, message } = await createWorld(instance.url);
  const root = { channelId: channel.id, messageId: message.id };
  const opened = await answerTo(member, "channel.openThread", root);
  if (!opened.ok) throw new Error("no thread");
  await collection("channels").insertMany(
    Array.from({ length: LIMITS.threadsPerChannel - 1 }, () => ({
      kind: "thread",
      name: "",
      position: 0,
      parentId: new Types.ObjectId(channel.id),
      parentGroupId: new Types.ObjectId(group.id),
      rootMessageId: new Types.ObjectId(),
      threadState: "open",
      createdAt: new Date(),
      lastActivityAt: new Date(0),
    })),
  );
  const another = { channelId: channel.id, content: "another", nonce: "another" };
  const sent = await answerTo(member, "message.send", another);
  if (!sent.ok) throw new Error("no message");
  const second = { channelId: channel.id, messageId: sent.data.message.id };
  const refused = reached("threadsPerChannel");
  expect(await answerTo(member, "channel.openThread", second)).toMatchObject(refused);
  // An existing thread can still be opened.
  expect(await answerTo(owner, "channel.openThread", root)).toMatchObject({ ok: true });
  const thread = { channelId: opened.data.channel.id };
  await answerTo(member, "channel.archiveThread", thread);
  expect(await answerTo(member, "channel.openThread", second)).toMatchObject({ ok: true });
  expect(await answerTo(member, "channel.unarchiveThread", thread)).toMatchObject(refused);
});

/** One document less than the limit. */
const almostFill = (name: string, limit: keyof typeof LIMITS, document: (index: number) => object) =>
  collection(name).insertMany(Array.from({ length: LIMITS[limit] - 1 }, (_, index) => document(index)));

test("saved messages are limited per user; those that are saved can still be changed", async () => {
  const { owner, member, channel, message } = await createWorld(instance.url);
  const channelId = channel.id;
  const ids = { userId: new Types.ObjectId(member.userId), channelId: new Types.ObjectId(channelId) };
  const savedAt = new Date();
  await almostFill("savedMessages", "savedPerUser", () => ({
    ...ids,
    messageId: new Types.ObjectId(),
    savedAt,
  }));
  const sent = await answerTo(member, "message.send", { channelId, content: "another", nonce: "another" });
  if (!sent.ok) throw new Error("no message");
  const save = (messageId: string, who = member) => answerTo(who, "saved.add", { channelId, messageId });
  expect(await save(message.id)).toMatchObject({ ok: true });
  expect(await save(sent.data.message.id)).toMatchObject(reached("savedPerUser"));
  expect(await save(message.id)).toMatchObject({ ok: true });
  expect(await save(message.id, owner)).toMatchObject({ ok: true });
  await answerTo(member, "saved.remove", { messageId: message.id });
  expect(await save(sent.data.message.id)).toMatchObject({ ok: true });
});

test("scheduled messages are limited per user", async () => {
  const { owner, member, channel } = await createWorld(instance.url);
  const ids = { userId: new Types.ObjectId(member.userId), channelId: new Types.ObjectId(channel.id) };
  const sendAt = new Date(Date.now() + 3_600_000);
  await almostFill("scheduledMessages", "scheduledPerUser", () => ({ ...ids, content: "later", sendAt }));
  const schedule = (who = member) =>
    answerTo(who, "scheduled.add", { channelId: channel.id, content: "x", sendAt: sendAt.toISOString() });
  const last = await schedule();
  if (!last.ok) throw new Error(last.error.type);
  expect(await schedule()).toMatchObject(reached("scheduledPerUser"));
  expect(await schedule(owner)).toMatchObject({ ok: true });
  await answerTo(member, "scheduled.remove", { scheduledId: last.data.scheduled.id });
  expect(await schedule()).toMatchObject({ ok: true });
});

test("GIFs are limited per group, apart from stickers", async () => {
  const { owner, group } = await createWorld(instance.url);
  const ids = { groupId: new Types.ObjectId(group.id), createdBy: new Types.ObjectId(owner.userId) };
  const gif = { ...ids, kind: "gif", url: "/files/gif", createdAt: new Date() };
  await almostFill("emoji", "gifsPerGroup", (index) => ({ ...gif, name: `gif ${index}` }));
  const add = async (kind: "gif" | "sticker", name: string) => {
    const fileId = await uploadEmoji(instance.url, owner);
    return answerTo(owner, "emoji.add", { groupId: group.id, kind, name, fileId });
  };
  expect(await add("gif", "the last")).toMatchObject({ ok: true });
  expect(await add("gif", "one more")).toMatchObject(reached("gifsPerGroup"));
  expect(await add("sticker", "one more")).toMatchObject({ ok: true });
});

test("saved searches are limited per user", async () => {
  const who = await createAccount(instance.url);
  const set = (count: number) => {
    const search = { text: "launch", scope: "everywhere" } as const;
    return answerTo(who, "user.setPreferences", {
      savedSearches: Array.from({ length: count }, () => search),
    });
  };
  expect(await set(LIMITS.savedSearchesPerUser)).toMatchObject({ ok: true });
  expect(await set(LIMITS.savedSearchesPerUser + 1)).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
});

test("a deleted channel's threads are removed", async () => {
  const { owner, member, channel, message } = await createWorld(instance.url);
  const opened = await answerTo(member, "channel.openThread", {
    channelId: channel.id,
    messageId: message.id,
  });
  if (!opened.ok) throw new Error("no thread");
  const channelId = opened.data.channel.id;
  await answerTo(member, "message.send", { channelId, content: "in the thread", nonce: "in the thread" });
  const left = () => collection("messages").countDocuments({ channelId: new Types.ObjectId(channelId) });
  expect(await left()).toBe(1);
  await answerTo(owner, "channel.delete", { channelId: channel.id });
  await expect.poll(left).toBe(0);
  const threads = collection("channels").countDocuments({ parentId: new Types.ObjectId(channel.id) });
  expect(await threads).toBe(0);
});
