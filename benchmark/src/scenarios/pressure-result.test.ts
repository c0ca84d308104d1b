import { expect, test } from "vitest";
import { resultsOf } from "./pressure-run.ts";
import { bystanderOf } from "./pressure.ts";

/** Calls that took this long, or failed for this reason. */
function phase(...calls: (number | string)[]) {
  const outcomes = calls.map((call) => ({
    name: "user.me",
    intendedAtMs: 0,
    tookMs: Number(call),
    failure: typeof call === "string" ? call : undefined,
  }));
  return { names: ["user.me"], outcomes: () => outcomes.values() as Generator<(typeof outcomes)[0]> };
}

const bystander = (...phases: ReturnType<typeof phase>[]) =>
  bystanderOf({ phases: phases.map((one) => ({ seen: resultsOf([one], () => true) })) });

test("the slowest call of a bystander is one that failed", () => {
  expect(bystander(phase(1, 2, 3), phase(4))).toEqual({ p99Ms: 4, failed: 0 });
  expect(bystander(phase(1, 2, "OVERLOADED"))).toEqual({ p99Ms: null, failed: 1 });
  expect(bystander(phase(1, 2), phase("unanswered", "unanswered"))).toEqual({ p99Ms: null, failed: 2 });
});

test("rejected calls of the load are in no time", () => {
  const [result] = resultsOf([phase(1, 2, "OVERLOADED")], (failure) => failure === "unanswered");
  expect(result).toMatchObject({ intended: 3, ok: 2, okMs: { p100: 2 }, failures: { OVERLOADED: 1 } });
});
