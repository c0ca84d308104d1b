import { createServices } from "@fanfare/kernel";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "@fanfare/contract";
import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDependencies } from "../src/message.dependencies.ts";
import { createRetentionRepository, Retention, type RetentionOptions } from "../src/retention.ts";
import { startMessageNode, type MessageNode } from "./message-node.ts";

const AUTHOR = "a".repeat(24);
const READER = "b".repeat(24);
const DAY_MS = 86_400_000;
const GRACE_MS = 1000;

let node: MessageNode;
let dataDir: string;
let removed: string[];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fanfare-retention-"));
  node = await startMessageNode({ DATA_DIR: dataDir });
});
afterAll(async () => {
  await node.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const send = async (channelId: string, count: number): Promise<string[]> => {
  const sent = Array.from({ length: count }, (_, n) =>
    node.as(AUTHOR, "message.send", { channelId, content: `Message ${n}`, nonce: String(Math.random()) }),
  );
  return (await Promise.all(sent)).map(({ message }) => message.id);
};
const messagesOf = () => node.node.database.collection("messages");
/** Makes the messages up to `seq` ten days old. */
const age = (channelId: string, seq: number) =>
  messagesOf().updateMany(
    { channelId: new Types.ObjectId(channelId), seq: { $lte: seq } },
    { $set: { createdAt: new Date(Date.now() - 10 * DAY_MS) } },
  );
const seqsOf = async (channelId: string): Promise<number[]> =>
  (await node.as(READER, "message.list", { channelId, limit: 100 })).messages.map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const unreadOf = async (channelId: string): Promise<number> => {
  const { heads } = await node.internal("message.listHeads", { userId: READER, channelIds: [channelId] });
  return heads[0]!.head.seq - heads[0]!.lastReadSeq;
};

/** Another worker with the same database, for one channel with a retention of 7 days. */
function worker(
  channelId: string,
  { days = 7, max, ...changes }: { days?: number | null; max?: number } & Partial<RetentionOptions> = {},
): Retention {
  removed = [];
  const { messages, heads, commit, edits, holds, reactions, roomsFor } = createDependencies({
    ...node.node,
    metrics: new (node.node.metrics.constructor as new () => typeof node.node.metrics)(),
  });
  const services = createServices((async (name: string) =>
    name === "group.listRetention"
      ? { channels: [{ channelId, days }], nextChannelId: null }
      : {}) as unknown as Call);
  return new Retention({
    node: {
      services,
      config: { retentionMaxDays: max },
      broadcast: (_name, payload) => void removed.push(...(payload as { messageIds: string[] }).messageIds),
    },
    messages,
    heads,
    commit,
    others: [edits, reactions],
    holds,
    boundaries: createRetentionRepository(node.node.database),
    roomsFor,
    graceMs: GRACE_MS,
    ...changes,
  });
}

test("old messages are removed with all their data, and lists, sync and unread counts stay exact", async () => {
  const channelId = new Types.ObjectId().toHexString();
  const ids = await send(channelId, 30);
  await node.as(AUTHOR, "message.edit", { channelId, messageId: ids[4]!, content: "Changed" });
  await node.as(READER, "message.react", { channelId, messageId: ids[2]!, emoji: "👍" });
  // Counted a moment later, as a separate change.
  await vi.waitFor(async () => {
    const { message } = await node.as(READER, "message.get", { channelId, messageId: ids[2]! });
    expect(message.reactions).toHaveLength(1);
  });
  await node.as(AUTHOR, "message.edit", { channelId, messageId: ids[25]!, content: "Newest change" });
  await age(channelId, 20);
  const { head } = await node.as(READER, "message.list", { channelId, limit: 1 });
  expect(await unreadOf(channelId)).toBe(30);

  const retention = worker(channelId);
  const now = Date.now();
  await retention.sweep(now);
  expect(await seqsOf(channelId)).toEqual(range(1, 30));
  expect(await unreadOf(channelId)).toBe(10);
  await retention.sweep(now + GRACE_MS / 2);
  expect(await seqsOf(channelId)).toEqual(range(1, 30));

  await retention.sweep(now + GRACE_MS);
  expect(await seqsOf(channelId)).toEqual(range(21, 30));
  expect(new Set(removed)).toEqual(new Set(ids.slice(0, 20)));
  for (const name of ["messageEdits", "reactions"]) {
    const left = node.node.database.collection(name).find({ channelId: new Types.ObjectId(channelId) });
    for (const { messageId } of await left.toArray())
      expect(ids.slice(0, 20)).not.toContain(String(messageId));
  }
  // A client that was away from the beginning, and one that missed only the last change.
  for (const afterRev of [0, head.rev - 1]) {
    const { channels } = await node.as(READER, "channel.sync", { cursors: [{ channelId, afterRev }] });
    expect(channels[0]).toMatchObject({ status: "ok", head: { seq: 30 } });
    expect(channels[0]!.head.rev).toBeGreaterThanOrEqual(head.rev);
  }
  const [next] = await send(channelId, 1);
  expect(await seqsOf(channelId)).toEqual(range(21, 31));
  expect((await node.as(READER, "message.get", { channelId, messageId: next! })).message.rev).toBeGreaterThan(
    head.rev,
  );
});

test("if all are old the last one stays without its text, and numbers continue from it", async () => {
  const channelId = new Types.ObjectId().toHexString();
  await send(channelId, 5);
  await age(channelId, 5);
  const retention = worker(channelId);
  const now = Date.now();
  for (const looks of [0, 1, 2, 3]) await retention.sweep(now + looks * GRACE_MS);
  const { messages } = await node.as(READER, "message.list", { channelId, limit: 100 });
  expect(messages).toMatchObject([{ seq: 5, content: "", deletedAt: expect.any(String) as string }]);
  expect(await unreadOf(channelId)).toBe(0);
  await send(channelId, 1);
  expect(await seqsOf(channelId)).toEqual([5, 6]);
  expect(await unreadOf(channelId)).toBe(1);
});

test("messages changed since the boundary, and all after them, stay until the next sweep", async () => {
  const channelId = new Types.ObjectId().toHexString();
  const ids = await send(channelId, 10);
  await age(channelId, 8);
  const retention = worker(channelId);
  const now = Date.now();
  await retention.sweep(now);
  await node.as(AUTHOR, "message.edit", { channelId, messageId: ids[3]!, content: "Still in use" });
  await retention.sweep(now + GRACE_MS);
  expect(await seqsOf(channelId)).toEqual(range(4, 10));
  await send(channelId, 1);
  await retention.sweep(now + 2 * GRACE_MS);
  await retention.sweep(now + 3 * GRACE_MS);
  expect(await seqsOf(channelId)).toEqual(range(9, 11));
});

test("a worker that dies at any point leaves the end of a log, and another one continues", async () => {
  const channelId = new Types.ObjectId().toHexString();
  await send(channelId, 450);
  await age(channelId, 440);
  const now = Date.now();
  await worker(channelId).sweep(now);
  let calls = 0;
  const dying = worker(channelId, {
    others: [
      {
        deleteOfMany() {
          calls += 1;
          return calls === 2 ? Promise.reject(new Error("killed")) : Promise.resolve();
        },
      },
    ],
  });
  await expect(dying.sweep(now + GRACE_MS)).rejects.toThrow("killed");
  const left = await messagesOf()
    .find({ channelId: new Types.ObjectId(channelId) })
    .sort({ seq: 1 })
    .toArray();
  expect(left.map(({ seq }) => seq as number)).toEqual(range(201, 450));
  await worker(channelId).sweep(now + GRACE_MS);
  expect(await seqsOf(channelId)).toEqual(range(441, 450));
});

test("recent messages before imported old ones stay", async () => {
  const channelId = new Types.ObjectId().toHexString();
  await send(channelId, 30);
  const old = { createdAt: new Date(Date.now() - 10 * DAY_MS) };
  const imported = { channelId: new Types.ObjectId(channelId), $or: [{ seq: 1 }, { seq: { $gt: 10 } }] };
  await messagesOf().updateMany(imported, { $set: old });
  const retention = worker(channelId);
  const now = Date.now();
  await retention.sweep(now);
  await retention.sweep(now + GRACE_MS);
  expect(await seqsOf(channelId)).toEqual(range(2, 30));
  expect(await unreadOf(channelId)).toBe(29);
});

test("the instance's maximum applies to groups without a limit or with a longer one; without either nothing is removed", async () => {
  const channelId = new Types.ObjectId().toHexString();
  await send(channelId, 3);
  await age(channelId, 2);
  const now = Date.now();
  const twice = async (retention: Retention): Promise<void> => {
    await retention.sweep(now);
    await retention.sweep(now + GRACE_MS);
  };
  await twice(worker(channelId, { days: null }));
  await twice(worker(channelId, { days: 11, max: 20 }));
  expect(await seqsOf(channelId)).toEqual([1, 2, 3]);
  await twice(worker(channelId, { days: null, max: 9 }));
  expect(await seqsOf(channelId)).toEqual([3]);
});

test("a legal hold keeps what retention removes, with its former texts", async () => {
  const channelId = new Types.ObjectId().toHexString();
  const ids = await send(channelId, 5);
  await node.as(AUTHOR, "message.edit", { channelId, messageId: ids[1]!, content: "Changed" });
  await send(channelId, 1);
  await age(channelId, 6);
  const { hold } = await node.internal("message.startHold", {
    userId: AUTHOR,
    name: "ada",
    reason: "Lawsuit",
    byUserId: READER,
  });
  const retention = worker(channelId);
  const now = Date.now();
  await retention.sweep(now);
  await retention.sweep(now + GRACE_MS);
  expect(await seqsOf(channelId)).toEqual([6]);
  const span = { from: new Date(0).toISOString(), to: new Date(now + DAY_MS).toISOString() };
  const { lines } = await node.internal("message.exportHeld", { userId: AUTHOR, ...span, after: null });
  const texts = lines.map((line) => (line.type === "edit" ? line.content : line.message.content));
  const sent = ["Message 0", "Changed", "Message 1", "Message 2", "Message 3", "Message 4", "Message 0"];
  expect(texts).toEqual(sent);
  await node.internal("message.endHold", { userId: AUTHOR, holdId: hold.id, byUserId: READER });
});
