import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createPublisher } from "./presence.service.ts";
import { MemoryPresenceStore } from "./store/memory-store.ts";

const TIMES = {
  publishDelayMs: 0,
  gatewayTimeoutMs: 5000,
  deadGatewayTtlMs: 5000,
  claimMs: 50,
  sweepGapMs: 5000,
};

let store: MemoryPresenceStore;
let published: string[];
let works: number;

beforeEach(async () => {
  works = 0;
  store = new MemoryPresenceStore(TIMES, () => (works += 1));
  published = [];
  await store.report({ gatewayId: "g1", number: 1, connected: ["ann"], disconnected: [] });
});

const worker = (name: string, { isConnected = (): boolean => true, reading = () => {} } = {}) =>
  createPublisher({
    isConnected,
    store,
    async read(userIds) {
      reading();
      return userIds.map((userId) => ({ userId, status: "online" as const }));
    },
    publish: (room) => void published.push(`${name}: ${String(room)}`),
    onPublished: () => {},
  });

test("publishes a change once", async () => {
  const publish = worker("one");
  await publish();
  await publish();
  expect(published).toEqual(["one: presence:ann"]);
});

test("a disconnected worker leaves changes to others", async () => {
  await worker("one", { isConnected: () => false })();
  await worker("two")();
  expect(published).toEqual(["two: presence:ann"]);
});

test("a worker that is disconnected while reading publishes nothing, and another one does when the claim expires", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let isConnected = true;
  await worker("one", { isConnected: () => isConnected, reading: () => (isConnected = false) })();
  await worker("two")();
  expect(published).toEqual([]);
  vi.setSystemTime(Date.now() + TIMES.claimMs + 1);
  await worker("two")();
  expect(published).toEqual(["two: presence:ann"]);
});

test("the store says when there is work, and when there is none", async () => {
  expect([works > 0, store.hasChanges, store.hasGateways]).toEqual([true, true, true]);
  await worker("one")();
  works = 0;
  await store.report({ gatewayId: "g1", number: 2, connected: [], disconnected: [] });
  expect([works, store.hasChanges, store.hasGateways]).toEqual([0, false, true]);
  await store.recordChange("ann");
  expect([works, store.hasChanges]).toEqual([1, true]);
});
