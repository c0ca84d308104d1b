import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { createPublisher } from "./publisher.ts";
import { MemoryPresenceStore } from "./store/memory-store.ts";

const TIMES = { gatherMs: 0, gatewayTimeoutMs: 5000, forgottenMs: 5000, claimMs: 50, sweepGapMs: 5000 };

let store: MemoryPresenceStore;
let told: string[];

beforeEach(async () => {
  store = new MemoryPresenceStore(TIMES);
  told = [];
  await store.report({ gatewayId: "g1", number: 1, connected: ["ann"], disconnected: [] });
});

const worker = (name: string, { isHeard = (): boolean => true, reading = () => {} } = {}) =>
  createPublisher({
    isHeard,
    store,
    async read(userIds) {
      reading();
      return userIds.map((userId) => ({ userId, status: "online" as const }));
    },
    publish: (room) => void told.push(`${name}: ${String(room)}`),
    onPublished: () => {},
  });

test("a change is told to those who watch the user, once", async () => {
  const tell = worker("one");
  await tell();
  await tell();
  expect(told).toEqual(["one: presence:ann"]);
});

test("a worker that nobody hears leaves what is to be told to the others", async () => {
  await worker("one", { isHeard: () => false })();
  await worker("two")();
  expect(told).toEqual(["two: presence:ann"]);
});

test("cut off while it reads it tells nothing, and another worker does when the claim has run out", async () => {
  let isHeard = true;
  await worker("one", { isHeard: () => isHeard, reading: () => (isHeard = false) })();
  await worker("two")();
  expect(told).toEqual([]);
  await delay(2 * TIMES.claimMs);
  await worker("two")();
  expect(told).toEqual(["two: presence:ann"]);
});
