import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { MemoryDatabase, MemoryStore } from "../../test/memory-store.ts";
import { pseudoRandom } from "../../test/pseudo-random.ts";
import { GroupCommit } from "./group-commit.ts";
import { HeadCache } from "./write-context.ts";

const channelIds = ["c".repeat(24), "d".repeat(24)];
const authorId = "a".repeat(24);
const rooms = ["group:x"];
const WRITE_TIMEOUT_MS = 15;
const FAULTS = 0.15;

type Fault = "none" | "fails" | "late" | "slow";

/** A database step that usually succeeds; otherwise it fails, is slow, or is carried out after its worker has given up. */
async function unreliableStep(random: () => number): Promise<void> {
  const fault: Fault =
    random() > FAULTS ? "none" : (["fails", "late", "slow"] as const)[Math.floor(random() * 3)]!;
  if (fault === "fails") throw new Error("connection lost");
  if (fault === "late") await sleep(WRITE_TIMEOUT_MS * (1 + random()));
  if (fault === "slow") await sleep(random() * WRITE_TIMEOUT_MS);
}

/** Asserts that each channel has every number from 1, each once. */
function assertDense(database: MemoryDatabase): void {
  for (const channelId of channelIds) {
    const messages = database.ofChannel(channelId);
    const dense = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
    const seqs = messages.map(({ seq }) => seq).sort((a, b) => a - b);
    const revs = messages.flatMap((message) => message.revs).sort((a, b) => a - b);
    expect(seqs).toEqual(dense(seqs.length));
    expect(revs).toEqual(dense(revs.length));
  }
}

function startWorker(database: MemoryDatabase, random: () => number, found: unknown[]): GroupCommit {
  const store = new MemoryStore(database);
  const step = async (): Promise<void> => {
    try {
      assertDense(database);
    } catch (error) {
      found.push(error);
    }
    await unreliableStep(random);
  };
  for (const hook of ["beforeRead", "beforeInsert", "afterEach", "afterInsert"] as const) store[hook] = step;
  for (const hook of ["beforeChange", "afterChange", "beforeRaise"] as const) store[hook] = step;
  return new GroupCommit({
    store,
    heads: new HeadCache(100, (channelId) => store.readHead(channelId)),
    publish: () => undefined,
    logger: { error: () => undefined },
    observe: () => undefined,
    countStored: () => undefined,
    broadcastStored: () => undefined,
    writeTimeoutMs: WRITE_TIMEOUT_MS,
  });
}

/** Retries with random workers until the message is acknowledged, or until a hole was found. */
async function sendUntilAcknowledged(
  workers: readonly GroupCommit[],
  random: () => number,
  channelId: string,
  nonce: string,
  found: readonly unknown[],
): Promise<string> {
  for (;;) {
    if (found.length > 0) throw found[0];
    const worker = workers[Math.floor(random() * workers.length)]!;
    const item = { authorId, content: nonce, nonce, replyTo: null, rooms, groupId: null };
    const message = await worker.create(channelId, item).catch(() => null);
    if (message === null) continue;
    if (random() < 0.3) {
      const set = { content: `${nonce}, edited` };
      const change = { messageId: message.id, set, announce: "message.changed" as const, rooms };
      await worker.change(channelId, change).catch(() => null);
    }
    return nonce;
  }
}

test.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
  "three workers, failures at any step, late writes and repeated nonces leave no holes (%i)",
  async (seed) => {
    const random = pseudoRandom(seed);
    const database = new MemoryDatabase();
    const found: unknown[] = [];
    const workers = [1, 2, 3].map(() => startWorker(database, random, found));
    const nonces = Array.from({ length: 60 }, (_, i) => `n${Math.floor(i / 1.5)}`);
    const sent = await Promise.all(
      nonces.map((nonce, i) =>
        sendUntilAcknowledged(workers, random, channelIds[i % 2]!, `${nonce}/${i % 2}`, found),
      ),
    );
    await sleep(2 * WRITE_TIMEOUT_MS);
    expect(found).toEqual([]);
    assertDense(database);
    const stored = database.messages.map(({ nonce }) => nonce);
    expect(stored.sort()).toEqual([...new Set(sent)].sort());
  },
);
