// Measures the time to list unread channels and the inbox of a user with 200 channels, for any number of messages and members
// (embedded database, by HTTP). The CPU time is that of this process, including the client but not the database.
//   node services/inbox/bench/unread.ts [--messages 200000]
import { createECDH, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mentionKey, type ActionName, type Params, type Result } from "@fanfare/contract";
import { loadConfig, type NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { must } from "@fanfare/testing";
import { Types } from "mongoose";

const { values } = parseArgs({ options: { messages: { type: "string", default: "200000" } } });
const GROUPS = 4;
const CHANNELS_PER_GROUP = 50;
const MENTIONS = 20;
const ROUNDS = 100;
const INSERT = 5000;
/** Longer than the delay before new messages are indexed. */
const BEHIND_MS = 12_000;

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const env = { NODE_ENV: "test", PORT: "0", OPS_PORT: "0", DATA_DIR: dir, RATE_LIMIT_FACTOR: "100000" };
const fanfare = await startFanfare(loadConfig({ ...env, GATEWAY_THREADS: "0" }));
const { database } = fanfare.context as NodeContext;
const collection = (name: string) => database.db!.collection(name);

const me = await must(fanfare.url, "user.createGuest", {});
const call = <N extends ActionName>(name: N, params: Params<N>): Promise<Result<N>> =>
  must(fanfare.url, name, params, me.accessToken);

const groupIds: string[] = [];
const channelIds: string[] = [];
for (let i = 0; i < GROUPS; i++) {
  const { group, channels } = await call("group.create", { name: `Group ${i}` });
  groupIds.push(group.id);
  channelIds.push(channels[0]!.id);
  for (let j = 1; j < CHANNELS_PER_GROUP; j++)
    channelIds.push((await call("channel.create", { groupId: group.id, name: `c${j}` })).channel.id);
}

const author = new Types.ObjectId();
let stored = 0;

/** Inserts documents as the message service stores them; a few channels are unread, with some mentions of the user. */
async function fill(messages: number): Promise<void> {
  while (stored < messages) {
    const some = Array.from({ length: Math.min(INSERT, messages - stored) }, (_, i) => {
      const at = stored + i;
      const seq = Math.floor(at / channelIds.length) + 1;
      const channelId = new Types.ObjectId(channelIds[at % channelIds.length]);
      const _id = new Types.ObjectId();
      const isMention = at < MENTIONS;
      return {
        _id,
        channelId,
        seq,
        rev: seq,
        revs: [seq],
        authorId: author,
        content: "some words",
        replyTo: null,
        nonce: String(at),
        createdAt: new Date(),
        editedAt: null,
        deletedAt: null,
        ...(isMention && {
          mentions: { userIds: [me.user.id], roleIds: [], everyone: false },
          mentionKeys: [mentionKey.user(me.user.id)],
          mentionedId: _id,
          mentionedIn: channelId,
          mentionedSeq: seq,
        }),
      };
    });
    await collection("messages").insertMany(some);
    stored += some.length;
  }
  const seq = Math.ceil(messages / channelIds.length);
  for (const id of channelIds) {
    const _id = new Types.ObjectId(id);
    await collection("channelHeads").updateOne({ _id }, { $set: { seq, rev: seq } }, { upsert: true });
  }
}

async function addMembers(members: number): Promise<void> {
  for (const id of groupIds) {
    const groupId = new Types.ObjectId(id);
    for (let i = 0; i < members; i += INSERT) {
      const some = Array.from({ length: Math.min(INSERT, members - i) }, () => ({
        _id: new Types.ObjectId(),
        groupId,
        userId: new Types.ObjectId(),
        mutedUntil: null,
        joinedAt: new Date(),
      }));
      await collection("members").insertMany(some);
    }
  }
}

async function setUnread(channels: number): Promise<void> {
  const userId = new Types.ObjectId(me.user.id);
  const heads = await collection("channelHeads").find({}).toArray();
  const seqs = new Map(heads.map(({ _id, seq }) => [String(_id), Number(seq)]));
  for (const [index, id] of channelIds.entries()) {
    // In unread channels nothing was read, so all mentions count.
    const seq = index < channels ? 0 : seqs.get(id)!;
    const channelId = new Types.ObjectId(id);
    await collection("readMarkers").updateOne({ userId, channelId }, { $set: { seq } }, { upsert: true });
  }
}

async function measure(name: "channel.listUnread" | "inbox.list" | "inbox.getUnreadCount"): Promise<string> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) {
    const began = performance.now();
    await call(name, {});
    times.push(1000 * (performance.now() - began));
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const [p50, p95] = [times[ROUNDS >> 1]!, times[Math.floor(ROUNDS * 0.95)]!];
  const ownCpu = (user + system) / ROUNDS;
  return `${name} p50 ${p50.toFixed(0)} p95 ${p95.toFixed(0)} cpu ${ownCpu.toFixed(0)} µs`;
}

/** Subscribes one user, so that subscriptions are looked up for all. */
async function subscribe(): Promise<void> {
  const browser = createECDH("prime256v1");
  const keys = {
    p256dh: browser.generateKeys().toString("base64url"),
    auth: randomBytes(16).toString("base64url"),
  };
  await call("push.subscribe", { endpoint: "https://push.example.org/one", keys });
}

/** Includes all background work for each message: inbox, pushes, index. */
async function measureEveryone(): Promise<string> {
  const cpu = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++)
    await call("message.send", {
      channelId: channelIds[0]!,
      content: "@everyone, look",
      nonce: randomUUID(),
    });
  await delay(BEHIND_MS);
  const { user, system } = process.cpuUsage(cpu);
  return `a message to @everyone cpu ${((user + system) / ROUNDS).toFixed(0)} µs`;
}

async function print(title: string): Promise<void> {
  const unread = (await call("channel.listUnread", {})).channels.length;
  const found = [
    await measure("channel.listUnread"),
    await measure("inbox.list"),
    await measure("inbox.getUnreadCount"),
  ];
  console.log(`${title}, ${unread} unread: ${found.join("; ")}`);
}

try {
  const most = Number(values.messages);
  for (const messages of [most / 200, most / 20, most].map(Math.ceil)) {
    await fill(messages);
    for (const unread of [0, 10, channelIds.length]) {
      await setUnread(unread);
      await print(`${channelIds.length} channels, ${messages} messages`);
    }
  }
  await subscribe();
  console.log(await measureEveryone());
  await setUnread(10);
  await addMembers(25_000);
  await print(`${channelIds.length} channels, ${most} messages, ${GROUPS} × 25,000 members more`);
  console.log(`${await measureEveryone()}, ${GROUPS} × 25,000 members more`);
} finally {
  await fanfare.stop();
  await rm(dir, { recursive: true });
}
