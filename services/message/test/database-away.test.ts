import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@fanfare/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readAll } from "./channel-reader.ts";
import { DatabaseProcess } from "./database-process.ts";
import { startMessageNode, type MessageNode } from "./message-node.ts";

const SENDERS = 12;
const userId = "a".repeat(24);
const channelIds = ["c".repeat(24), "d".repeat(24), "e".repeat(24)];

let dir: string;
let database: DatabaseProcess;
let workers: MessageNode[];
let stopped: AbortController;
let refusals: { type: string; data: unknown }[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-away-"));
  database = new DatabaseProcess(join(dir, "db"));
  await database.start();
  const env = { MONGO_URL: database.url, DATA_DIR: dir };
  workers = [await startMessageNode(env), await startMessageNode(env)];
  stopped = new AbortController();
  refusals = [];
});
afterEach(async () => {
  stopped.abort();
  for (const worker of workers ?? []) await worker.stop();
  await database.kill();
  await rm(dir, { recursive: true });
});

function refuse(error: unknown): void {
  const { type, data } = error as { type: string; data: unknown };
  refusals.push({ type, data });
}

/** Records a rejection and continues. */
async function note(call: Promise<unknown>): Promise<void> {
  await call.catch(refuse);
}

/** Sends messages, each until it is acknowledged, and edits some. */
async function write(sender: number, acknowledged: Message[]): Promise<void> {
  const channelId = channelIds[sender % channelIds.length]!;
  for (let i = 0; !stopped.signal.aborted; i++) {
    const nonce = `${sender}/${i}`;
    for (let tries = 0; ; tries++) {
      const worker = workers[(sender + tries) % workers.length]!;
      try {
        const sent = { channelId, content: nonce, nonce, resend: tries > 0 };
        const { message } = await worker.as(userId, "message.send", sent);
        acknowledged.push(message);
        const edit = { channelId, messageId: message.id, content: `${nonce}, edited` };
        if (i % 5 === 0) await note(worker.as(userId, "message.edit", edit));
        break;
      } catch (error) {
        refuse(error);
        await sleep(100);
      }
    }
  }
}

/** Waits until `count` more messages are acknowledged. */
async function untilMore(acknowledged: Message[], count: number): Promise<void> {
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length - before).toBeGreaterThan(count);
}

async function expectExact(acknowledged: Message[]): Promise<void> {
  const nonces: string[] = [];
  for (const channelId of channelIds) {
    const stored = await readAll(workers[0]!, userId, channelId);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
    nonces.push(...stored.map(({ nonce }) => nonce));
    const { heads } = await workers[1]!.node.services.message.listHeads({ userId, channelIds: [channelId] });
    const { head } = await workers[1]!.as(userId, "message.list", { channelId });
    expect(heads[0]?.head).toEqual(head);
  }
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(acknowledged.map(({ nonce }) => nonce).filter((nonce) => !nonces.includes(nonce))).toEqual([]);
  for (const { type, data } of refusals) {
    expect(["UNAVAILABLE", "OVERLOADED"]).toContain(type);
    expect(data).toMatchObject({ retryAfterMs: expect.any(Number) });
  }
}

test(
  "a database that is repeatedly killed and restarted loses and duplicates nothing",
  { tags: "long" },
  async () => {
    const acknowledged: Message[] = [];
    const writing = Array.from({ length: SENDERS }, (_, i) => write(i, acknowledged));
    for (let kills = 0; kills < 4; kills++) {
      await untilMore(acknowledged, 200);
      await database.kill();
      await sleep(kills * 300);
      await database.start();
    }
    await untilMore(acknowledged, 200);
    stopped.abort();
    await Promise.all(writing);
    expect(refusals.length).toBeGreaterThan(0);
    await expectExact(acknowledged);
  },
);

test(
  "while the database is frozen senders are rejected; afterwards they continue",
  { tags: "long" },
  async () => {
    const acknowledged: Message[] = [];
    const writing = Array.from({ length: SENDERS }, (_, i) => write(i, acknowledged));
    await untilMore(acknowledged, 200);
    database.freeze();
    await expect.poll(() => refusals.length).toBeGreaterThanOrEqual(SENDERS);
    database.thaw();
    await untilMore(acknowledged, 200);
    stopped.abort();
    await Promise.all(writing);
    await expectExact(acknowledged);
  },
);
