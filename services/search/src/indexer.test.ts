import { createServices } from "@fanfare/kernel";
import { setTimeout as wait } from "node:timers/promises";
import type { Call } from "@fanfare/contract";
import { expect, test } from "vitest";
import { Indexer } from "./indexer.ts";

const STEP_MS = 30;
const NOTHING = { rev: 0, parentId: null };

test("indexes channels together, and then pauses at least four times as long as that took", async () => {
  const pauses: number[] = [];
  const rested = Promise.withResolvers<void>();
  const call = async () => {
    await wait(STEP_MS);
    return { messages: [] };
  };
  const indexer = new Indexer({
    entries: { put: async () => undefined },
    progress: {
      find: async (ids) => new Map(ids.map((id) => [id, NOTHING])),
      advance: async () => undefined,
    },
    services: createServices(call as unknown as Call),
    logger: { warn: (error: unknown) => rested.reject(error) },
    indexAfterMs: 0,
    pause: async (ms) => {
      pauses.push(ms);
      rested.resolve();
    },
  });
  indexer.hint("a".repeat(24));
  indexer.hint("b".repeat(24));
  await rested.promise;
  await indexer.close();
  expect(pauses).toHaveLength(1);
  // A timer can fire a fraction of a millisecond early.
  for (const ms of pauses) expect(ms).toBeGreaterThan(4 * (STEP_MS - 2));
});

test("closing doesn't wait for the remaining channels", async () => {
  const stepped = Promise.withResolvers<void>();
  const call = async () => {
    await wait(STEP_MS);
    stepped.resolve();
    return { messages: [] };
  };
  const indexer = new Indexer({
    entries: { put: async () => undefined },
    progress: {
      find: async (ids) => new Map(ids.map((id) => [id, NOTHING])),
      advance: async () => undefined,
    },
    services: createServices(call as unknown as Call),
    logger: { warn: () => undefined },
    indexAfterMs: 0,
    pause: (_ms, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  });
  indexer.hint("a".repeat(24));
  await stepped.promise;
  await wait(0);
  await expect(indexer.close()).resolves.toBeUndefined();
});

test("continues a channel that exceeds its share of a round, and writes each change once", async () => {
  const log = new Map([
    ["a".repeat(24), 3],
    ["b".repeat(24), 700],
    ["c".repeat(24), 1],
  ]);
  const revs = new Map<string, number>();
  const puts: string[][] = [];
  const call = async (_name: string, params: { channelId: string; afterRev: number; limit: number }) => {
    const { channelId, afterRev, limit } = params;
    const count = Math.min(limit, log.get(channelId)! - afterRev);
    const messages = Array.from({ length: count }, (_, index) => {
      const rev = afterRev + index + 1;
      return {
        id: `${channelId[0]}${rev}`,
        channelId,
        rev,
        authorId: "x",
        content: "hello",
        deletedAt: null,
      };
    });
    return { messages };
  };
  const done = Promise.withResolvers<void>();
  const indexer = new Indexer({
    entries: { put: async (some) => void puts.push(some.map(({ messageId }) => messageId)) },
    progress: {
      find: async (ids) => new Map(ids.map((id) => [id, { rev: revs.get(id) ?? 0, parentId: null }])),
      advance: async (moves) => {
        for (const { channelId, from, to } of moves) {
          expect(revs.get(channelId) ?? 0).toBe(from);
          revs.set(channelId, to);
        }
      },
    },
    services: createServices(call as unknown as Call),
    logger: { warn: (error: unknown) => done.reject(error) },
    indexAfterMs: 0,
    pause: async () => {
      if ([...log].every(([channelId, rev]) => revs.get(channelId) === rev)) done.resolve();
    },
  });
  for (const channelId of log.keys()) indexer.hint(channelId);
  await done.promise;
  await indexer.close();
  expect(puts[0]).toHaveLength(3 + 166 + 1);
  expect(puts).toHaveLength(3);
  expect(new Set(puts.flat()).size).toBe(704);
  expect(puts.flat()).toHaveLength(704);
});

test("a step requested while a round reads the same log needs another round", async () => {
  const message = {
    id: "m1",
    channelId: "a".repeat(24),
    rev: 1,
    authorId: "x",
    content: "hello",
    deletedAt: null,
  };
  const log: object[] = [];
  const began = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const puts: string[] = [];
  const call = async () => {
    const messages = [...log];
    began.resolve();
    await goOn.promise;
    return { messages };
  };
  const indexer = new Indexer({
    entries: { put: async (some) => void puts.push(...some.map(({ messageId }) => messageId)) },
    progress: {
      find: async (ids) => new Map(ids.map((id) => [id, NOTHING])),
      advance: async () => undefined,
    },
    services: createServices(call as unknown as Call),
    logger: { warn: () => undefined },
  });
  const first = indexer.step([message.channelId]);
  await began.promise;
  log.push(message);
  const second = indexer.step([message.channelId]);
  goOn.resolve();
  expect([...(await first)]).toEqual([message.channelId]);
  expect([...(await second)]).toEqual([]);
  expect([...(await indexer.step([message.channelId]))]).toEqual([message.channelId]);
  expect(puts).toEqual(["m1"]);
  await indexer.close();
});
