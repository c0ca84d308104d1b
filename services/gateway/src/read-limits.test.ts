import { LIMITS } from "@fanfare/contract";
import { createLogger, createRateLimits } from "@fanfare/kernel";
import { expect, test } from "vitest";
import {
  MAX_HEAVY_READS_PER_ADDRESS,
  MAX_HEAVY_READS_PER_USER,
  MAX_WAITING_READS_PER_USER,
  READ_COST_PER_ADDRESS,
  READ_COST_PER_USER,
} from "./constants.ts";
import { responseBytes, ReadLimits } from "./read-limits.ts";

const create = (): ReadLimits =>
  new ReadLimits(createRateLimits({ counters: null, logger: createLogger("silent"), factor: 1 }), 1);
const reader = (userId: string, address = "192.0.2.1") => ({ userId, address });
const MIB = 1024 * 1024;

test("a user who has read too many bytes waits for the next window, however few reads it took", () => {
  const limits = create();
  const mib = READ_COST_PER_USER.points / 1024;
  for (let n = 0; n < mib; n++) {
    expect(limits.waitMs(reader("a"), 0)).toBe(0);
    limits.charge(reader("a"), MIB, 0, 0);
  }
  expect(limits.waitMs(reader("a"), 0)).toBe(READ_COST_PER_USER.durationMs);
  expect(limits.waitMs(reader("b"), 0)).toBe(0);
  expect(limits.waitMs(reader("a"), READ_COST_PER_USER.durationMs)).toBe(0);
});

test("users of one address share the budget of the address", () => {
  const limits = create();
  const mib = READ_COST_PER_ADDRESS.points / 1024;
  for (let n = 0; n < mib; n++) limits.charge(reader(`user ${n}`), MIB, 0, 0);
  expect(limits.waitMs(reader("another"), 0)).toBeGreaterThan(0);
  expect(limits.waitMs({ userId: null, address: "192.0.2.1" }, 0)).toBeGreaterThan(0);
  expect(limits.waitMs(reader("another", "192.0.2.2"), 0)).toBe(0);
});

test("duration is charged like bytes, up to a cap", () => {
  const limits = create();
  for (let n = 0; n < 1000 && limits.waitMs(reader("a"), 0) === 0; n++) limits.charge(reader("a"), 0, 5, 0);
  expect(limits.waitMs(reader("a"), 0)).toBeGreaterThan(0);
  limits.charge(reader("slow", "192.0.2.2"), 0, 1e9, 0);
  expect(limits.waitMs(reader("slow", "192.0.2.2"), 0)).toBe(0);
});

test("a few heavy reads of one user run concurrently; others wait, and too many are rejected", async () => {
  const limits = create();
  for (let n = 0; n < MAX_HEAVY_READS_PER_USER; n++) expect(limits.enter(reader("a"))).toBe(true);
  const admitted: number[] = [];
  const waiting = Array.from({ length: MAX_WAITING_READS_PER_USER }, async (_, n) => {
    if (await limits.enter(reader("a"))) admitted.push(n);
  });
  expect(await limits.enter(reader("a"))).toBe(false);
  expect(limits.enter(reader("b"))).toBe(true);
  limits.leave(reader("a"));
  await waiting[0];
  expect(admitted).toEqual([0]);
  for (let n = 1; n < waiting.length; n++) limits.leave(reader("a"));
  await Promise.all(waiting);
  expect(admitted).toHaveLength(MAX_WAITING_READS_PER_USER);
});

test("concurrent heavy reads are limited per address too, across users", async () => {
  const limits = create();
  for (let n = 0; n < MAX_HEAVY_READS_PER_ADDRESS; n++) expect(limits.enter(reader(`user ${n}`))).toBe(true);
  const next = limits.enter(reader("next"));
  expect(next).toBeInstanceOf(Promise);
  expect(limits.enter(reader("elsewhere", "192.0.2.2"))).toBe(true);
  limits.leave(reader("user 0"));
  expect(await next).toBe(true);
});

test("the end of a read admits one that waits for its user and another that waits for its address", async () => {
  const limits = create();
  const [here, elsewhere] = ["192.0.2.1", "192.0.2.2"];
  for (let n = 0; n < MAX_HEAVY_READS_PER_USER; n++) expect(limits.enter(reader("a", here))).toBe(true);
  for (let n = MAX_HEAVY_READS_PER_USER; n < MAX_HEAVY_READS_PER_ADDRESS; n++)
    expect(limits.enter(reader(`user ${n}`, here))).toBe(true);
  const forUser = limits.enter(reader("a", elsewhere));
  const forAddress = limits.enter(reader("b", here));
  limits.leave(reader("a", here));
  expect(await forUser).toBe(true);
  expect(await forAddress).toBe(true);
});

test("estimates the size of a response as JSON", () => {
  const answer = {
    messages: Array.from({ length: 100 }, (_, seq) => ({
      id: "1".repeat(24),
      seq,
      content: "語".repeat(LIMITS.messageMaxChars),
    })),
    hasMore: true,
    none: null,
  };
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  expect(responseBytes(answer) / bytes).toBeCloseTo(1, 1);
});
