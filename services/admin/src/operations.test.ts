import { mkdtemp, rm, statfs } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GatewayStep } from "@fanfare/contract";
import { createDiskReader, mergeSteps } from "./operations.ts";

const OTHER_DISK = "/dev/shm";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-disk-"));
});
afterAll(() => rm(folder, { recursive: true }));

const totalOf = async (path: string) => {
  const { blocks, bsize, bavail } = await statfs(path);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
};

test("the free space is that of a folder, and unknown for one that doesn't exist", async () => {
  const { totalBytes } = await totalOf(folder);
  expect(await createDiskReader([folder])()).toMatchObject({ totalBytes });
  expect(await createDiskReader([join(folder, "missing")])()).toBeNull();
  expect(await createDiskReader([join(folder, "missing"), folder])()).toMatchObject({ totalBytes });
});

test.runIf(existsSync(OTHER_DISK))("of several disks, the one with the least free space counts", async () => {
  const disks = await Promise.all([folder, OTHER_DISK].map(totalOf));
  const least = disks.toSorted((one, other) => one.freeBytes - other.freeBytes)[0]!;
  for (const folders of [
    [folder, OTHER_DISK],
    [OTHER_DISK, folder],
  ])
    expect(await createDiskReader(folders)()).toMatchObject({ totalBytes: least.totalBytes });
});

const AT_MS = Date.UTC(2026, 10, 21);

function step(about: Partial<GatewayStep> = {}): GatewayStep {
  return {
    endedAtMs: AT_MS,
    durationMs: 5000,
    connections: 0,
    messages: 0,
    deliveries: 0,
    fanout: [],
    fanoutMaxMs: 0,
    eventLoopDelayMs: 0,
    memoryBytes: 0,
    ...about,
  };
}

test("adds up the counts of gateways by time", () => {
  const one = step({ connections: 2, messages: 10, deliveries: 100, eventLoopDelayMs: 3 });
  const other = step({
    connections: 3,
    messages: 10,
    deliveries: 50,
    durationMs: 10_000,
    eventLoopDelayMs: 7,
  });
  const [merged] = mergeSteps([
    { process: "a", steps: [one] },
    { process: "b", steps: [other] },
  ]);
  expect(merged).toMatchObject({
    endedAt: new Date(AT_MS).toISOString(),
    connections: 5,
    messagesPerSecond: 3,
    deliveriesPerSecond: 25,
    fanoutMs: null,
    eventLoopDelayMs: 7,
  });
});

test("counts the memory of threads of one process once", () => {
  const gateways = ["a", "a", "b"].map((process) => ({ process, steps: [step({ memoryBytes: 100 })] }));
  expect(mergeSteps(gateways)[0]?.memoryBytes).toBe(200);
});

test("the longest fan-out is exact, and percentiles are interpolated up to it", () => {
  const fast = step({ fanout: [[2, 98]], fanoutMaxMs: 0.9 });
  const slow = step({
    fanout: [
      [2, 0],
      [6, 1],
      [64, 1],
    ],
    fanoutMaxMs: 60,
  });
  const gateways = [
    { process: "a", steps: [slow] },
    { process: "b", steps: [fast] },
  ];
  expect(mergeSteps(gateways)[0]?.fanoutMs).toEqual({ p50: expect.closeTo(100 / 98), p99: 6, p100: 60 });
  expect(mergeSteps([{ process: "b", steps: [fast] }])[0]?.fanoutMs).toEqual({
    p50: 0.9,
    p99: 0.9,
    p100: 0.9,
  });
});

test("steps are in order, also when some of a gateway are missing", () => {
  const at = (number: number) => step({ endedAtMs: AT_MS + number * 5000, connections: 1 });
  const merged = mergeSteps([
    { process: "a", steps: [at(2), at(3)] },
    { process: "b", steps: [at(1), at(3)] },
  ]);
  expect(merged.map(({ connections }) => connections)).toEqual([1, 1, 2]);
  expect(merged.map(({ endedAt }) => endedAt)).toEqual(merged.map(({ endedAt }) => endedAt).toSorted());
});
