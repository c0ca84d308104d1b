import { createLogger, createRateLimits } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { ActionLimits, FullChannels } from "./action-limits.ts";
import { FULL_CHANNEL_TTL_MS, MAX_FULL_CHANNELS } from "./constants.ts";

const limit = { points: 2, durationMs: 1000 };
const HERE = "192.0.2.1";

const create = (definition: ConstructorParameters<typeof ActionLimits>[1]): ActionLimits => {
  const limits = createRateLimits({ counters: null, logger: createLogger("silent"), factor: 1 });
  return new ActionLimits("user.login", definition, limits);
};

test("counts callers per user, or per address when not logged in", () => {
  const limits = create(limit);
  expect(["a", "a", "a", "b"].map((user) => limits.take(user, HERE, 0))).toEqual([0, 0, 1000, 0]);
  expect([1, 2, 3].map(() => limits.take(null, HERE, 0))).toEqual([0, 0, 1000]);
});

test.each([false, true])(
  "users of one address share a limit that also applies per address (exact: %s)",
  (exact) => {
    const limits = create({ ...limit, perAddress: true, exact });
    expect(["a", "b", "c"].map((user) => limits.take(user, HERE, 0))).toEqual([0, 0, 1000]);
    expect(["d", null].map((user) => limits.take(user, HERE, 0))).toEqual([1000, 1000]);
    expect(limits.take("d", "192.0.2.2", 0)).toBe(0);
  },
);

test("counts a user once across addresses", () => {
  const limits = create({ ...limit, perAddress: true });
  expect(["1", "2", "3"].map((address) => limits.take("a", address, 0))).toEqual([0, 0, 1000]);
});

test("counts a parameter value across all senders, ignoring case", () => {
  const limits = create({ ...limit, perValueOf: { param: "username", ...limit } });
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
  const limits = create({ ...limit, perValueOf });
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
  const limits = create({ ...limit, perValueOf });
  const ann = { username: "Ann" };
  for (let n = 0; n < 5; n += 1) {
    expect(limits.takeValue(ann, { address: HERE }, 0)).toBe(0);
    limits.giveBackValue(ann, { address: HERE });
  }
  expect([1, 2, 3].map(() => limits.takeValue(ann, { address: HERE }, 0))).toEqual([0, 0, 1000]);
  expect(["2", "3"].map((address) => limits.takeValue(ann, { address }, 0))).toEqual([0, 1000]);
});

test("ignores parameters without such a limit", () => {
  const limits = create(limit);
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
