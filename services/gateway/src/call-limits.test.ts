import { LIMITS } from "@fanfare/contract";
import { createLogger, createRateLimits } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { ActionLimits, FullChannels, ReadLimits, responseBytes } from "./call-limits.ts";
import {
  FULL_CHANNEL_TTL_MS,
  MAX_FULL_CHANNELS,
  MAX_HEAVY_READS_PER_ADDRESS,
  MAX_HEAVY_READS_PER_USER,
  MAX_WAITING_READS_PER_USER,
  READ_COST_PER_ADDRESS,
  READ_COST_PER_USER,
} from "./constants.ts";

const limit = { points: 2, durationMs: 1000 };
const HERE = "192.0.2.1";

const createActionLimits = (definition: ConstructorParameters<typeof ActionLimits>[1]): ActionLimits => {
  const limits = createRateLimits({ counters: null, logger: createLogger("silent"), factor: 1 });
  return new ActionLimits("user.login", definition, limits);
};

test("counts callers per user, or per address when not logged in", () => {
  const limits = createActionLimits(limit);
  expect(["a", "a", "a", "b"].map((user) => limits.take(user, HERE, 0))).toEqual([0, 0, 1000, 0]);
  expect([1, 2, 3].map(() => limits.take(null, HERE, 0))).toEqual([0, 0, 1000]);
});

test.each([false, true])(
  "users of one address share a limit that also applies per address (exact: %s)",
  (exact) => {
    const limits = createActionLimits({ ...limit, perAddress: true, exact });
    expect(["a", "b", "c"].map((user) => limits.take(user, HERE, 0))).toEqual([0, 0, 1000]);
    expect(["d", null].map((user) => limits.take(user, HERE, 0))).toEqual([1000, 1000]);
    expect(limits.take("d", "192.0.2.2", 0)).toBe(0);
  },
);

test("counts a user once across addresses", () => {
  const limits = createActionLimits({ ...limit, perAddress: true });
  expect(["1", "2", "3"].map((address) => limits.take("a", address, 0))).toEqual([0, 0, 1000]);
});

test("counts a parameter value across all senders, ignoring case", () => {
  const limits = createActionLimits({ ...limit, perValueOf: { param: "username", ...limit } });
  const guess = (username: string) => limits.takeValue({ username }, { address: HERE }, 0);
  expect(["ann", "Ann", "ANN", "bob"].map(guess)).toEqual([0, 0, 1000, 0]);
});

test("counts a value per address too, and separately on a known device", () => {
  const perValueOf = {
    param: "username",
    points: 3,
    durationMs: 1000,
    pointsPerAddress: 2,
    exceptKnownDevices: true,
  } as const;
  const limits = createActionLimits({ ...limit, perValueOf });
  const knownDevice = (name: string): string | null => (name === "ann" ? "laptop" : null);
  const guess = (address: string, username = "Ann") => limits.takeValue({ username }, { address }, 0);
  expect(["1", "1", "1", "2", "2"].map((address) => guess(address))).toEqual([0, 0, 1000, 0, 1000]);
  const known = (username: string) => limits.takeValue({ username }, { address: "1", knownDevice }, 0);
  expect(["Ann", "ann", "ann", "bob"].map(known)).toEqual([0, 0, 1000, 0]);
});

test("reverts all counts after a success", () => {
  const perValueOf = {
    param: "username",
    points: 3,
    durationMs: 1000,
    pointsPerAddress: 2,
    onlyFailures: true,
  } as const;
  const limits = createActionLimits({ ...limit, perValueOf });
  const ann = { username: "Ann" };
  for (let n = 0; n < 5; n += 1) {
    expect(limits.takeValue(ann, { address: HERE }, 0)).toBe(0);
    limits.giveBackValue(ann, { address: HERE });
  }
  expect([1, 2, 3].map(() => limits.takeValue(ann, { address: HERE }, 0))).toEqual([0, 0, 1000]);
  expect(["2", "3"].map((address) => limits.takeValue(ann, { address }, 0))).toEqual([0, 1000]);
});

test("ignores parameters without such a limit", () => {
  const limits = createActionLimits(limit);
  expect([1, 2, 3].map(() => limits.takeValue({ username: "ann" }, { address: HERE }, 0))).toEqual([0, 0, 0]);
});

test("a channel counts as full for a short time", () => {
  const full = new FullChannels();
  full.add("a", 1000);
  expect(full.has("a", 1000 + FULL_CHANNEL_TTL_MS - 1)).toBe(true);
  expect(full.has("b", 1000)).toBe(false);
  expect(full.has("a", 1000 + FULL_CHANNEL_TTL_MS)).toBe(false);
});

test("remembers a bounded number of channels", () => {
  const full = new FullChannels();
  for (let i = 0; i <= MAX_FULL_CHANNELS; i++) full.add(String(i), 1000);
  expect(full.has("0", 1000)).toBe(false);
  expect(full.has(String(MAX_FULL_CHANNELS), 1000)).toBe(true);
});

const createReadLimits = (): ReadLimits =>
  new ReadLimits(createRateLimits({ counters: null, logger: createLogger("silent"), factor: 1 }), 1);
const reader = (userId: string, address = "192.0.2.1") => ({ userId, address });
const MIB = 1024 * 1024;

test("a user who has read too many bytes waits for the next window, however few reads it took", () => {
  const limits = createReadLimits();
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
  const limits = createReadLimits();
  const mib = READ_COST_PER_ADDRESS.points / 1024;
  for (let n = 0; n < mib; n++) limits.charge(reader(`user ${n}`), MIB, 0, 0);
  expect(limits.waitMs(reader("another"), 0)).toBeGreaterThan(0);
  expect(limits.waitMs({ userId: null, address: "192.0.2.1" }, 0)).toBeGreaterThan(0);
  expect(limits.waitMs(reader("another", "192.0.2.2"), 0)).toBe(0);
});

test("duration is charged like bytes, up to a cap", () => {
  const limits = createReadLimits();
  for (let n = 0; n < 1000 && limits.waitMs(reader("a"), 0) === 0; n++) limits.charge(reader("a"), 0, 5, 0);
  expect(limits.waitMs(reader("a"), 0)).toBeGreaterThan(0);
  limits.charge(reader("slow", "192.0.2.2"), 0, 1e9, 0);
  expect(limits.waitMs(reader("slow", "192.0.2.2"), 0)).toBe(0);
});

test("a few heavy reads of one user run concurrently; others wait, and too many are rejected", async () => {
  const limits = createReadLimits();
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
  const limits = createReadLimits();
  for (let n = 0; n < MAX_HEAVY_READS_PER_ADDRESS; n++) expect(limits.enter(reader(`user ${n}`))).toBe(true);
  const next = limits.enter(reader("next"));
  expect(next).toBeInstanceOf(Promise);
  expect(limits.enter(reader("elsewhere", "192.0.2.2"))).toBe(true);
  limits.leave(reader("user 0"));
  expect(await next).toBe(true);
});

test("the end of a read admits one that waits for its user and another that waits for its address", async () => {
  const limits = createReadLimits();
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
