import { setTimeout as delay } from "node:timers/promises";
import { createLogger, type NodeContext } from "@fanfare/kernel";
import { connectRedis } from "@fanfare/kernel/redis";
import { isInstalled, startRedis, type ServerProcess } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MemoryPresenceStore } from "../src/store/memory-store.ts";
import type { PresenceStore } from "../src/store/presence-store.ts";
import { RedisPresenceStore } from "../src/store/redis-store.ts";

/** Long enough that nothing expires unexpectedly on a slow machine. */
const TIMES = {
  publishDelayMs: 20,
  gatewayTimeoutMs: 60_000,
  deadGatewayTtlMs: 60_000,
  claimMs: 60_000,
  sweepGapMs: 200,
};
const SHORT = { ...TIMES, gatewayTimeoutMs: 500, claimMs: 300 };

type Redis = NonNullable<NodeContext["redis"]>;

let server: ServerProcess | undefined;
let redis: Redis | undefined;
const hasRedis = isInstalled("redis-server");

beforeAll(async () => {
  if (!hasRedis) return;
  server = await startRedis();
  redis = await connectRedis(server.url, createLogger("silent"));
});
afterAll(async () => {
  await redis?.quit();
  await server?.stop();
});

const report = (
  store: PresenceStore,
  gatewayId: string,
  number: number,
  connected: string[] = [],
  disconnected: string[] = [],
) => store.report({ gatewayId, number, connected, disconnected });

const among = async (store: PresenceStore, ...userIds: string[]): Promise<string[]> => [
  ...(await store.filterConnected(userIds)),
];

/** Claims and settles all due changes. */
async function publishDue(store: PresenceStore): Promise<string[]> {
  await delay(2 * TIMES.publishDelayMs);
  const userIds = await store.claimChanged(100);
  await store.settle(userIds);
  return userIds.toSorted();
}

/** Sweeps like a worker, and reports for living gateways, until `users` users are removed. */
async function sweep(store: PresenceStore, users: number, alive?: string): Promise<void> {
  for (let [number, forgotten] = [2, 0]; forgotten < users; number += 1) {
    if (alive !== undefined) await report(store, alive, number);
    forgotten += await store.expireGateways(2);
    await delay(10);
  }
}

describe.each(["memory", "redis"])("the %s store", (kind) => {
  let store: PresenceStore;
  const newStore = (times = TIMES): PresenceStore =>
    kind === "memory" ? new MemoryPresenceStore(times) : new RedisPresenceStore(redis!, times);
  beforeEach(async ({ skip }) => {
    if (kind === "redis" && redis === undefined) skip();
    await redis?.flushall();
    store = newStore();
  });
  afterEach(() => vi.restoreAllMocks());

  test("counts connected users", async () => {
    expect(await store.countConnected()).toBe(0);
    await report(store, "g1", 1, ["ann", "bob"]);
    await report(store, "g2", 1, ["cat"]);
    expect(await store.countConnected()).toBe(3);
    await report(store, "g1", 2, [], ["ann"]);
    expect(await store.countConnected()).toBe(2);
  });

  test("doesn't count users of silent gateways", async () => {
    store = newStore(SHORT);
    await report(store, "g1", 1, ["bob"]);
    await report(store, "g2", 1, ["cat"]);
    await sweep(store, 2);
    expect(await store.countConnected()).toBe(0);
  });

  test("a user is online while connected to any gateway", async () => {
    expect(await report(store, "g1", 1, ["ann", "bob"])).toBe(true);
    expect(await report(store, "g2", 1, ["ann"])).toBe(true);
    expect(await among(store, "ann", "bob", "cat")).toEqual(["ann", "bob"]);
    await report(store, "g1", 2, [], ["ann", "bob"]);
    expect(await among(store, "ann", "bob")).toEqual(["ann"]);
    await report(store, "g2", 2, [], ["ann"]);
    expect(await among(store, "ann")).toEqual([]);
  });

  test("applies a report once, and none after a later one", async () => {
    await report(store, "g1", 1, ["ann"]);
    await report(store, "g1", 3, [], ["ann"]);
    expect(await report(store, "g1", 1, ["ann"])).toBe(true);
    expect(await report(store, "g1", 2, ["ann"])).toBe(true);
    expect(await among(store, "ann")).toEqual([]);
  });

  test("an unknown gateway has to report again", async () => {
    expect(await report(store, "g1", 7, ["ann"])).toBe(false);
    expect(await among(store, "ann")).toEqual([]);
  });

  test("doesn't return a change before it is due", async () => {
    const patient = newStore({ ...TIMES, publishDelayMs: 60_000 });
    await report(patient, "g1", 1, ["ann"]);
    expect(await patient.claimChanged(100)).toEqual([]);
  });

  test("a user who connects and disconnects quickly causes one event", async () => {
    await report(store, "g1", 1, ["ann"]);
    await report(store, "g1", 2, [], ["ann"]);
    await report(store, "g1", 3, ["ann"]);
    expect(await publishDue(store)).toEqual(["ann"]);
    expect(await publishDue(store)).toEqual([]);
  });

  test("connecting to a second gateway, or losing one of two, causes no change", async () => {
    await report(store, "g1", 1, ["ann"]);
    await publishDue(store);
    await report(store, "g2", 1, ["ann"]);
    await report(store, "g1", 2, [], ["ann"]);
    expect(await publishDue(store)).toEqual([]);
  });

  test("a change claimed by one worker is not published by another", async () => {
    await report(store, "g1", 1, ["ann", "bob", "cat"]);
    await delay(2 * TIMES.publishDelayMs);
    const claims = await Promise.all([1, 2, 3].map(() => store.claimChanged(2)));
    expect(claims.flat().toSorted()).toEqual(["ann", "bob", "cat"]);
  });

  test("changes that a worker doesn't finish are published by another", async () => {
    store = newStore(SHORT);
    await report(store, "g1", 1, ["ann"]);
    await delay(2 * TIMES.publishDelayMs);
    expect(await store.claimChanged(100)).toEqual(["ann"]);
    await vi.waitFor(async () => expect(await store.claimChanged(100)).toEqual(["ann"]));
  });

  test("two workers never publish the same user concurrently, because the older status could arrive last", async () => {
    await report(store, "g1", 1, ["ann"]);
    await delay(2 * TIMES.publishDelayMs);
    const claimed = await store.claimChanged(100);
    await store.recordChange("ann");
    await delay(2 * TIMES.publishDelayMs);
    expect(await store.claimChanged(100)).toEqual([]);
    await store.settle(claimed);
    expect(await publishDue(store)).toEqual(["ann"]);
  });

  test("a change during publication is published again", async () => {
    await report(store, "g1", 1, ["ann"]);
    await delay(2 * TIMES.publishDelayMs);
    const claimed = await store.claimChanged(100);
    await store.recordChange("ann");
    await store.settle(claimed);
    expect(await publishDue(store)).toEqual(["ann"]);
  });

  test("users of a dead gateway go offline, unless they are connected elsewhere", async () => {
    store = newStore(SHORT);
    await report(store, "dead", 1, ["ann", "bob", "cat", "dan", "eve"]);
    await report(store, "alive", 1, ["ann"]);
    await publishDue(store);
    await sweep(store, 5, "alive");
    expect(await among(store, "ann", "bob", "cat", "dan", "eve")).toEqual(["ann"]);
    expect(await publishDue(store)).toEqual(["bob", "cat", "dan", "eve"]);
    // It was only suspended and must start over.
    expect(await report(store, "dead", 2)).toBe(false);
  });

  test("rejects late reports of a gateway that was considered dead", async () => {
    store = newStore(SHORT);
    await report(store, "g1", 1, ["ann"]);
    await sweep(store, 1);
    await report(store, "g2", 1);
    expect(await report(store, "g1", 1, ["ann"])).toBe(false);
    expect(await among(store, "ann")).toEqual([]);
  });

  test("a user whose gateway reports under a new ID before the old one is removed stays online", async () => {
    store = newStore(SHORT);
    await report(store, "old", 1, ["ann", "bob"]);
    await publishDue(store);
    await report(store, "new", 1, ["ann", "bob"]);
    await sweep(store, 2, "new");
    expect(await among(store, "ann", "bob")).toEqual(["ann", "bob"]);
    expect(await publishDue(store)).toEqual([]);
  });

  test("after a pause without sweeps, gateways first get time to report", async () => {
    store = newStore(SHORT);
    await report(store, "g1", 1, ["ann"]);
    expect(await store.expireGateways(2)).toBe(0);
    await delay(SHORT.gatewayTimeoutMs + SHORT.sweepGapMs);
    expect(await store.expireGateways(2)).toBe(0);
    await sweep(store, 1);
    expect(await among(store, "ann")).toEqual([]);
  });
});

test.skipIf(!hasRedis)("without Redis every call is rejected as unavailable", async () => {
  const lost = await startRedis();
  const client = await connectRedis(lost.url, createLogger("silent"));
  const store = new RedisPresenceStore(client, TIMES);
  await report(store, "g1", 1, ["ann"]);
  await lost.kill();
  await vi.waitFor(() => expect(client.status).not.toBe("ready"));
  await expect(among(store, "ann")).rejects.toMatchObject({ type: "UNAVAILABLE" });
  await lost.start();
  await vi.waitFor(() => expect(client.status).toBe("ready"), 5000);
  expect(await report(store, "g1", 2, ["ann"])).toBe(false);
  await client.quit();
  await lost.stop();
});

test.skipIf(!hasRedis)("a Redis that doesn't respond counts as unavailable, until it does", async () => {
  const frozen = await startRedis();
  const client = await connectRedis(frozen.url, createLogger("silent"));
  const store = new RedisPresenceStore(client, TIMES);
  frozen.freeze();
  await expect(among(store, "ann")).rejects.toMatchObject({ type: "UNAVAILABLE" });
  expect(client.status).not.toBe("ready");
  frozen.thaw();
  await vi.waitFor(() => expect(client.status).toBe("ready"));
  expect(await among(store, "ann")).toEqual([]);
  await client.quit();
  await frozen.stop();
});
