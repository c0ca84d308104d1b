import { expect, test } from "vitest";
import { allocateOutcomes, Outcome } from "./outcomes.ts";
import { recoveryOf } from "./recovery.ts";

/** One probe every 100 ms after the end at 1,000, answered after this many milliseconds; null: rejected. */
function recovery(answersMs: readonly (number | null)[], delivered = (index: number) => answersMs[index]!) {
  const outcomes = allocateOutcomes(answersMs.length);
  for (const [i, ms] of answersMs.entries()) {
    const intendedMs = 1100 + i * 100;
    outcomes.intendedAt[i] = intendedMs;
    outcomes.answeredAt[i] = intendedMs + (ms ?? 1);
    outcomes.outcome[i] = ms === null ? Outcome.refused : Outcome.acknowledged;
  }
  return recoveryOf({
    outcomes,
    range: { from: 0, to: answersMs.length },
    endedMs: 1000,
    watchedMs: 10_000,
    baselineAckMs: 50,
    baselineDeliveredMs: 60,
    deliveredMs: delivered,
  });
}

test("service is normal from the first probe after the last rejected or slow one", () => {
  expect(recovery([400, null, 151, 20, 30])).toMatchObject({ ackLimitMs: 150, normalAfterMs: 400 });
  expect(recovery([20, 20]).normalAfterMs).toBe(100);
});

test("service is never normal if the last probe was not", () => {
  expect(recovery([20, 20, 500]).normalAfterMs).toBeNull();
  expect(recovery([20, 20, 20], (index) => (index === 2 ? 181 : 20)).normalAfterMs).toBeNull();
  expect(recovery([]).normalAfterMs).toBeNull();
});
