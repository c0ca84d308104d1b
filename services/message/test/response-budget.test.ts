import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS, MEMBER_PERMISSIONS, PERMISSIONS, type Message } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SYNC_CONCURRENCY } from "../src/constants.ts";
import { startMessageNode, type MessageNode } from "./message-node.ts";

const author = "a".repeat(24);
const channelId = "c".repeat(24);
/** Three bytes per character in UTF-8. */
const LONG = "語".repeat(LIMITS.messageMaxChars);
const COUNT = 120;
/** Of one response: its budget plus the envelope. */
const MAX_BYTES = LIMITS.answerMaxBytes + 64 * 1024;

let dir: string;
let node: MessageNode;
const sent: Message[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-message-"));
  node = await startMessageNode({ DATA_DIR: dir });
  node.permissions.set(author, MEMBER_PERMISSIONS | PERMISSIONS.manageMessages);
  for (let n = 0; n < COUNT; n++) {
    const params = { channelId, content: LONG, nonce: `n${n}` };
    sent.push((await node.as(author, "message.send", params)).message);
  }
}, 120_000);
afterAll(async () => {
  await node?.stop();
  await rm(dir, { recursive: true });
});

const bytesOf = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer));
const seqsOf = (messages: readonly Message[]): number[] => messages.map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

test("a page stops before it exceeds the size limit of a response, and paging reaches every message", async () => {
  const seqs: number[] = [];
  for (let before: number | undefined; ;) {
    const page = await node.as(author, "message.list", { channelId, limit: 100, ...(before && { before }) });
    expect(bytesOf(page)).toBeLessThan(MAX_BYTES);
    expect(page.messages.length).toBeLessThan(100);
    seqs.unshift(...seqsOf(page.messages));
    if (!page.hasMore) break;
    before = page.messages[0]!.seq;
  }
  expect(seqs).toEqual(range(1, COUNT));
  const first = await node.as(author, "message.list", { channelId, after: 0, limit: 100 });
  expect(bytesOf(first)).toBeLessThan(MAX_BYTES);
  expect(first.hasMore).toBe(true);
  expect(seqsOf(first.messages)).toEqual(range(1, first.messages.length));
});

test("a page around a message has messages of both sides, within the limit", async () => {
  const { messages, hasMore } = await node.as(author, "message.list", { channelId, around: 60, limit: 100 });
  expect(bytesOf(messages)).toBeLessThan(MAX_BYTES);
  expect(hasMore).toBe(true);
  const seqs = seqsOf(messages);
  expect(seqs).toEqual(range(seqs[0]!, seqs.at(-1)!));
  expect(seqs[0]).toBeLessThan(60);
  expect(seqs.at(-1)).toBeGreaterThan(60);
});

test("a sync returns resync for a channel that doesn't fit, and the changes of the others", async () => {
  // More channels than are read concurrently.
  const small = Array.from({ length: 2 * SYNC_CONCURRENCY }, (_, n) => n.toString(16).padStart(24, "e"));
  for (const [n, id] of small.entries())
    await node.as(author, "message.send", { channelId: id, content: "short", nonce: `small${n}` });
  const cursors = [channelId, ...small].map((id) => ({ channelId: id, afterRev: 0 }));
  const answer = await node.as(author, "channel.sync", { cursors });
  expect(bytesOf(answer)).toBeLessThan(MAX_BYTES);
  const [large, ...others] = answer.channels;
  expect(large).toMatchObject({ status: "resync", messages: [], head: { seq: COUNT } });
  expect(others.map(({ status, messages }) => [status, messages.length])).toEqual(small.map(() => ["ok", 1]));
  const behind = { cursors: [{ channelId, afterRev: COUNT - 10 }] };
  const { channels } = await node.as(author, "channel.sync", behind);
  expect(channels[0]).toMatchObject({ status: "ok", head: { seq: COUNT, rev: COUNT } });
  expect(seqsOf(channels[0]!.messages)).toEqual(range(COUNT - 9, COUNT));
});

test("reading messages by id stops at the first that doesn't fit, and returns which one", async () => {
  const messageIds = sent.slice(0, 100).map(({ id }) => id);
  const { messages, stoppedAt } = await node.internal("message.getMany", { messageIds });
  expect(bytesOf(messages)).toBeLessThan(MAX_BYTES);
  const newestFirst = messageIds.toReversed();
  expect(messages.map(({ id }) => id)).toEqual(newestFirst.slice(0, messages.length));
  expect(stoppedAt).toBe(newestFirst[messages.length]);
});
