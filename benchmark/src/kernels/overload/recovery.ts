import { RequestState, type Range, type RequestMemory } from "../requests/request-memory.ts";

/** Normal means within this multiple of the longest time before the overload, to allow for noise. */
const TIMES_BASELINE = 3;
const LEAST_LIMIT_MS = 100;

export interface RecoveryInput {
  memory: RequestMemory;
  /** What was sent after the overload. */
  range: Range;
  /** When the overload ended. */
  endedMs: number;
  baselineAckMs: number | null;
  baselineDeliveredMs: number | null;
  /** Until the last receiver had a message; null: no one has it. */
  deliveredMs: (index: number) => number | null;
}

/** When service became normal and stayed so. */
export function recoveryOf(input: RecoveryInput) {
  const { memory, range, endedMs, deliveredMs } = input;
  const limit = (baselineMs: number | null) => Math.max(LEAST_LIMIT_MS, TIMES_BASELINE * (baselineMs ?? 0));
  const ackLimitMs = limit(input.baselineAckMs);
  const deliveredLimitMs = limit(input.baselineDeliveredMs);
  const isNormal = (index: number) =>
    memory.state[index] === RequestState.acknowledged &&
    memory.answeredAt[index]! - memory.intendedAt[index]! <= ackLimitMs &&
    (deliveredMs(index) ?? Infinity) <= deliveredLimitMs;
  let first = range.to;
  while (first > range.from && isNormal(first - 1)) first--;
  return {
    /** A message is normal if it is acknowledged, and delivered, within these times. */
    ackLimitMs,
    deliveredLimitMs,
    /** From the end of the overload; null: not within the observed time. */
    normalAfterMs: first === range.to ? null : memory.intendedAt[first]! - endedMs,
  };
}
