import { expect, test } from "vitest";
import { allocateRequests, RequestState } from "../kernels/requests/request-memory.ts";
import { recoveryOf } from "./overload-judge.ts";

/** One probe every 100 ms after the end at 1,000, answered after this many milliseconds; null: rejected. */
function recovery(answersMs: readonly (number | null)[], delivered = (index: number) => answersMs[index]!) {
  const memory = allocateRequests(answersMs.length);
  for (const [i, ms] of answersMs.entries()) {
    const intendedMs = 1100 + i * 100;
    memory.intendedAt[i] = intendedMs;
    memory.answeredAt[i] = intendedMs + (ms ?? 1);
    memory.state[i] = ms === null ? RequestState.refused : RequestState.acknowledged;
  }
  return recoveryOf({
    memory,
    range: { from: 0, to: answersMs.length },
    endedMs: 1000,
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
