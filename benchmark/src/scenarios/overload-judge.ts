import { applying } from "../report/format.ts";
import type { MetricValues } from "../report/metric.ts";
import { RequestState, type Range, type RequestMemory } from "../kernels/requests/request-memory.ts";

/** Normal means within this multiple of the longest time before the overload, to allow for noise. */
const TIMES_BASELINE = 3;
const LEAST_LIMIT_MS = 100;

interface RecoveryInput {
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

const MAX_NORMAL_AFTER_MS = 5000;
const MIB = 1024 * 1024;
/** Growth in the second half of the overload that exceeds noise. */
const GROWTH_BYTES = 64 * MIB;
const GROWTH_SHARE = 0.2;
const SENT_LATE_MS = 100;

/** The problems found. An overload is survived if there are none. */
export function judgeOverload(
  values: MetricValues,
  { unanswered, watchedMs }: { unanswered: number; watchedMs: number },
): string[] {
  const { unstored, storedTwice, lost, withoutRetryAfter, normalAfterMs, senderDelayMs } = values;
  const { memoryGrowthBytes: growth, memoryPeakBytes: peak, dropped } = values;
  return applying(
    (unstored ?? 0) > 0 && `${unstored} acknowledged messages are not in the database.`,
    (storedTwice ?? 0) > 0 && `${storedTwice} messages are in the database twice.`,
    (lost ?? 0) > 0 && `${lost} deliveries of acknowledged messages never arrived.`,
    (dropped ?? 0) > 0 && `${dropped} receivers were disconnected.`,
    unanswered > 0 && `${unanswered} messages were neither acknowledged nor rejected.`,
    (withoutRetryAfter ?? 0) > 0 && `${withoutRetryAfter} rejections had no retry time (retryAfterMs).`,
    (normalAfterMs ?? null) === null &&
      `Service was not normal again within the ${watchedMs / 1000} s observed.`,
    (normalAfterMs ?? 0) > MAX_NORMAL_AFTER_MS &&
      `Service was normal again only after ${(normalAfterMs! / 1000).toFixed(1)} s.`,
    (growth ?? 0) > Math.max(GROWTH_BYTES, (peak ?? 0) * GROWTH_SHARE) &&
      `The memory of the services grew by ${Math.round(growth! / MIB)} MiB in the second half of the overload.`,
    senderDelayMs! > SENT_LATE_MS &&
      `The tester sent messages up to ${Math.round(senderDelayMs!)} ms late: times are overstated by up to that.`,
  );
}
