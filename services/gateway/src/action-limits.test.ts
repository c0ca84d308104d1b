import { createRateLimits, createLogger } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { ActionLimits } from "./action-limits.ts";

const limit = { points: 2, durationMs: 1000 };
const HERE = "192.0.2.1";

const create = (definition: ConstructorParameters<typeof ActionLimits>[1]): ActionLimits => {
  const limits = createRateLimits({ counters: null, logger: createLogger("silent"), factor: 1 });
  return new ActionLimits("user.login", definition, limits);
};

test("a caller is counted as a user, or as an address where nobody is logged in", () => {
  const limits = create(limit);
  expect(["a", "a", "a", "b"].map((user) => limits.take(user, HERE, 0))).toEqual([0, 0, 1000, 0]);
  expect([1, 2, 3].map(() => limits.take(null, HERE, 0))).toEqual([0, 0, 1000]);
});

test.each([false, true])(
  "many users of one address share a limit that is per address too (exact: %s)",
  (exact) => {
    const limits = create({ ...limit, perAddress: true, exact });
    expect(["a", "b", "c"].map((user) => limits.take(user, HERE, 0))).toEqual([0, 0, 1000]);
    expect(["d", null].map((user) => limits.take(user, HERE, 0))).toEqual([1000, 1000]);
    expect(limits.take("d", "192.0.2.2", 0)).toBe(0);
  },
);

test("one user at many addresses is still one user", () => {
  const limits = create({ ...limit, perAddress: true });
  expect(["1", "2", "3"].map((address) => limits.take("a", address, 0))).toEqual([0, 0, 1000]);
});

test("one value of a parameter is counted whoever sends it, in whatever case", () => {
  const limits = create({ ...limit, perValueOf: { param: "username", ...limit } });
  const guess = (username: string) => limits.takeValue({ username }, 0);
  expect(["ann", "Ann", "ANN", "bob"].map(guess)).toEqual([0, 0, 1000, 0]);
});

test("without such a limit parameters do not matter", () => {
  const limits = create(limit);
  expect([1, 2, 3].map(() => limits.takeValue({ username: "ann" }, 0))).toEqual([0, 0, 0]);
});
