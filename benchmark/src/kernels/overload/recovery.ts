import { Outcome, type OutcomeMemory, type Range } from "./outcomes.ts";
import type { OverloadMeasurement } from "./overload-result.ts";

/** Normal means within this multiple of the longest time before the overload, to allow for noise. */
const TIMES_BASELINE = 3;
const LEAST_LIMIT_MS = 100;

export interface RecoveryInput {
  outcomes: OutcomeMemory;
  /** What was sent after the overload. */
  range: Range;
  /** When the overload ended. */
  endedMs: number;
  watchedMs: number;
  baselineAckMs: number | null;
  baselineDeliveredMs: number | null;
  /** Until the last receiver had a message; null: no one has it. */
  deliveredMs: (index: number) => number | null;
}

/** When service became normal and stayed so. */
export function recoveryOf(input: RecoveryInput): OverloadMeasurement["recovery"] {
  const { outcomes, range, endedMs, watchedMs, deliveredMs } = input;
  const limit = (baselineMs: number | null) => Math.max(LEAST_LIMIT_MS, TIMES_BASELINE * (baselineMs ?? 0));
  const ackLimitMs = limit(input.baselineAckMs);
  const deliveredLimitMs = limit(input.baselineDeliveredMs);
  const isNormal = (index: number) =>
    outcomes.outcome[index] === Outcome.acknowledged &&
    outcomes.answeredAt[index]! - outcomes.intendedAt[index]! <= ackLimitMs &&
    (deliveredMs(index) ?? Infinity) <= deliveredLimitMs;
  let first = range.to;
  while (first > range.from && isNormal(first - 1)) first--;
  return {
    ackLimitMs,
    deliveredLimitMs,
    normalAfterMs: first === range.to ? null : outcomes.intendedAt[first]! - endedMs,
    watchedMs,
  };
}
