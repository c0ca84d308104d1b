import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventPayload, Message } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChannelReader, readAll } from "./channel-reader.ts";
import { startMessageNode, type MessageNode } from "./message-node.ts";

const SENDERS = 20;
const MESSAGES_EACH = 200;

let dir: string;
let node: MessageNode;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-concurrency-"));
  node = await startMessageNode({ DATA_DIR: dir });
});
afterAll(async () => {
  await node?.stop();
  await rm(dir, { recursive: true });
});

const userId = (i: number): string => `aaaa${i.toString(16).padStart(20, "0")}`;

/** Sends several messages concurrently, so that batches are larger than the number of senders. */
async function sendAll(channelId: string, sender: number, answered: Message[]): Promise<void> {
  for (let i = 0; i < MESSAGES_EACH; i += 4) {
    const sends = [0, 1, 2, 3].map((k) => {
      const content = `${sender}/${i + k}`;
      return node.as(userId(sender), "message.send", { channelId, content, nonce: content });
    });
    answered.push(...(await Promise.all(sends)).map(({ message }) => message));
  }
}

test("concurrent senders: dense numbers, results match what is stored, each event once and in order", async () => {
  const channelId = "c".repeat(24);
  const answered: Message[] = [];
  await Promise.all(Array.from({ length: SENDERS }, (_, i) => sendAll(channelId, i, answered)));

  const stored = await readAll(node, userId(0), channelId);
  const numbers = Array.from({ length: SENDERS * MESSAGES_EACH }, (_, i) => i + 1);
  expect(stored.map(({ seq }) => seq)).toEqual(numbers);
  expect(stored.map(({ rev }) => rev)).toEqual(numbers);
  expect(answered.sort((a, b) => a.seq - b.seq)).toEqual(stored);
  const published = node.published.flatMap(
    ({ payload }) => (payload as EventPayload<"message.created">).messages,
  );
  expect(published).toEqual(stored);
  // The messages of each sender are in the order of their batches.
  for (let i = 0; i < SENDERS; i++) {
    const own = stored.filter(({ authorId }) => authorId === userId(i)).map(({ nonce }) => nonce);
    expect(own.map((nonce) => Math.floor(Number(nonce.split("/")[1]) / 4))).toEqual(
      Array.from({ length: MESSAGES_EACH }, (_, k) => Math.floor(k / 4)),
    );
  }
});

test("with edits and deletions in between, the events alone reproduce the pages", async () => {
  const channelId = "d".repeat(24);
  const reader = new ChannelReader(node, userId(0), channelId);
  await reader.load();
  node.published.length = 0;
  const answered: Message[] = [];
  const refusals = new Set<string>();
  const sending = new AbortController();
  const change = async (seed: number): Promise<void> => {
    for (let i = seed; !sending.signal.aborted; i += 7) {
      const message = answered[(i * 31) % Math.max(1, answered.length)];
      if (message === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      const one = { channelId, messageId: message.id };
      const changed =
        i % 3 === 0
          ? node.as(message.authorId, "message.delete", one)
          : node.as(message.authorId, "message.edit", { ...one, content: `edit ${seed} ${i}` });
      await changed.catch((error: { type: string }) => refusals.add(error.type));
    }
  };
  const changers = [1, 2, 3, 4, 5].map(change);
  await Promise.all(Array.from({ length: SENDERS }, (_, i) => sendAll(channelId, i, answered)));
  sending.abort();
  await Promise.all(changers);
  expect([...refusals].filter((type) => type !== "MESSAGE_NOT_FOUND")).toEqual([]);

  for (const { name, payload } of node.published) reader.receive(name, payload);
  const stored = await readAll(node, userId(0), channelId);
  expect(stored.map(({ seq }) => seq)).toEqual(
    Array.from({ length: SENDERS * MESSAGES_EACH }, (_, i) => i + 1),
  );
  expect(stored.filter(({ editedAt }) => editedAt !== null).length).toBeGreaterThan(0);
  expect(stored.filter(({ deletedAt }) => deletedAt !== null).length).toBeGreaterThan(0);
  expect(reader.copy).toEqual(stored);
  expect(new Set(stored.map(({ rev }) => rev)).size).toBe(stored.length);
});
