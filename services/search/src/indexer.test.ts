import { setTimeout as wait } from "node:timers/promises";
import type { Call } from "@fanfare/contract";
import { expect, test } from "vitest";
import { Indexer } from "./indexer.ts";

const STEP_MS = 30;

test("indexing rests after each step, at least four times as long as the step took", async () => {
  const pauses: number[] = [];
  const rested = Promise.withResolvers<void>();
  const call = async () => {
    await wait(STEP_MS);
    return { messages: [] };
  };
  const indexer = new Indexer({
    entries: { put: async () => undefined },
    progress: {
      find: async (ids) => new Map(ids.map((id) => [id, 0])),
      advance: async () => undefined,
    },
    call: call as unknown as Call,
    logger: { warn: (error: unknown) => rested.reject(error) },
    indexAfterMs: 0,
    pause: async (ms) => {
      pauses.push(ms);
      if (pauses.length === 2) rested.resolve();
    },
  });
  indexer.hint("a".repeat(24));
  indexer.hint("b".repeat(24));
  await rested.promise;
  await indexer.close();
  expect(pauses).toHaveLength(2);
  // A timer may fire a fraction of a millisecond early.
  for (const ms of pauses) expect(ms).toBeGreaterThan(4 * (STEP_MS - 2));
});

test("closing does not wait for the rest", async () => {
  const stepped = Promise.withResolvers<void>();
  const call = async () => {
    await wait(STEP_MS);
    stepped.resolve();
    return { messages: [] };
  };
  const indexer = new Indexer({
    entries: { put: async () => undefined },
    progress: { find: async (ids) => new Map(ids.map((id) => [id, 0])), advance: async () => undefined },
    call: call as unknown as Call,
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
