import { afterEach, beforeEach, expect, test } from "vitest";
import type { OverloadResult, PressureResult } from "../src/report/result.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** The observed time is the same on a busy machine; starting the servers takes longer there. */
const LONG = { timeout: 600_000 };
/** Before the first phase, and after it. */
function expectSamples({ samples }: OverloadResult["memory"]): void {
  expect(samples.map(({ atMs }) => Math.sign(atMs))).toEqual(expect.arrayContaining([-1, 1]));
}

const SMALL = ["--users", "10", "--senders", "5", "--seconds", "1"];

test("what is acknowledged is stored, and everything else is rejected with a retry time", LONG, async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "overload",
    ...SMALL,
    // More than five connections may have in flight.
    "--capacity",
    "20000",
    "--threshold",
    "unstored==0",
    "--threshold",
    "unanswered==0",
  );
  const result = outcome.result as OverloadResult;
  expect(code).toBe(0);
  expect(stdout).toMatch("acknowledged but not persisted 0 · lost 0");
  const { overload, counts, memory } = result;
  expect(overload.refused).toBeGreaterThan(0);
  expect(overload).toMatchObject({ withoutRetryAfter: 0, unanswered: 0 });
  expect(Object.keys(overload.refusalsByCode)).toEqual(["OVERLOADED"]);
  const { intended, acknowledged, refused, notSent } = overload;
  expect(acknowledged + refused + notSent).toBe(intended);
  expect(counts.stored).toBe(counts.acknowledged);
  expectSamples(memory);
  expect(await bench.leftovers()).toEqual([]);
});

test("the capacity is found by closed loops", { ...LONG, tags: "long" }, async () => {
  const outcome = await bench.run("overload", ...SMALL, "--factor", "0.2");
  const result = outcome.result as OverloadResult;
  expect(result.capacity.steps.map(({ inFlight }) => inFlight)).toEqual([16, 64, 256, 1024]);
  const best = Math.max(...result.capacity.steps.map(({ perSecond }) => perSecond));
  expect(result.capacity.perSecond).toBe(best);
  expect(result.overload.offeredPerSecond).toBeCloseTo(best / 5);
});

test.each([
  [["--reads"], ["bystander alone", "1 hostile guest", "20 hostile guests"]],
  [
    ["--mixed", "--users", "10"],
    ["16 at once", "64 at once", "256 at once", "overload", "afterwards"],
  ],
])(
  "%s: each phase reports the outcome of every request",
  { ...LONG, tags: "long" },
  async (options, phases) => {
    const outcome = await bench.run("overload", ...options, "--seconds", "1");
    const result = outcome.result as PressureResult;
    expect(outcome.code).toBe(0);
    expect(result.phases.map(({ name }) => name)).toEqual(phases);
    for (const { load, bystander } of result.phases)
      for (const { intended, ok, notSent, unanswered, refusedByCode } of [...load, ...bystander]) {
        const refused = Object.values(refusedByCode).reduce((sum, times) => sum + times, 0);
        expect(ok + refused + notSent + unanswered).toBe(intended);
      }
    expect(result.phases[1]!.load.some(({ ok }) => ok > 0)).toBe(true);
    expectSamples(result.memory);
    expect(await bench.leftovers()).toEqual([]);
  },
);
