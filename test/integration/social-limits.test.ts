import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS, type ActionName, type Params } from "@fanfare/contract";
import { loadConfig, type NodeContext } from "@fanfare/kernel";
import { startFanfare, type Fanfare } from "@fanfare/node";
import { createAccount, createWorld, post } from "@fanfare/testing";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";

// What calls can't reach within a test is written into the database.

let dir: string;
let fanfare: Fanfare;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-test-"));
  const env = { NODE_ENV: "test", LOG_LEVEL: "error", PORT: "0", OPS_PORT: "0", GATEWAY_THREADS: "0" };
  fanfare = await startFanfare(loadConfig({ ...env, DATA_DIR: dir, RATE_LIMIT_FACTOR: "1000" }));
});
afterAll(async () => {
  await fanfare?.stop();
  await rm(dir, { recursive: true, force: true });
});

type Person = Awaited<ReturnType<typeof createAccount>>;

const collection = (name: string) => (fanfare.context as NodeContext).database.collection(name);
const answerTo = <N extends ActionName>(who: { accessToken: string }, name: N, params: Params<N>) =>
  post(fanfare.url, name, params, who.accessToken);
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
  const [full, other] = [await createAccount(fanfare.url), await createAccount(fanfare.url)];
  await fillFriendships(full, "requested", LIMITS.friendRequestsPerUser - 1);
  const third = await createAccount(fanfare.url);
  expect(await answerTo(third, "friend.request", { userId: full.userId })).toMatchObject({ ok: true });
  const refused = reached("friendRequestsPerUser");
  expect(await answerTo(other, "friend.request", { userId: full.userId })).toMatchObject(refused);
  expect(await answerTo(full, "friend.request", { userId: other.userId })).toMatchObject(refused);
});

test("friends are limited on both sides", async () => {
  const [full, other] = [await createAccount(fanfare.url), await createAccount(fanfare.url)];
  await fillFriendships(full, "friends", LIMITS.friendsPerUser);
  await answerTo(other, "friend.request", { userId: full.userId });
  const refused = reached("friendsPerUser");
  expect(await answerTo(full, "friend.accept", { userId: other.userId })).toMatchObject(refused);
  expect(await answerTo(full, "friend.request", { userId: other.userId })).toMatchObject(refused);
});

test("active threads are limited per channel, and archived ones don't count", async () => {
  const { owner, member, channel, group, message } = await createWorld(fanfare.url);
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

test("a deleted channel's threads are removed", async () => {
  const { owner, member, channel, message } = await createWorld(fanfare.url);
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
