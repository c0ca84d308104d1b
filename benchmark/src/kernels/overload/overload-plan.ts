import type { ClusterSize } from "../../platform/cluster.ts";

/** The options of an overload. Durations in milliseconds. */
export interface OverloadPlan {
  /** Receiving members, not counting those who send. */
  users: number;
  senders: number;
  /** Members with hung clients: open connections that are never read. */
  stalled: number;
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  /** Multiple of the capacity to send. */
  factor: number;
  /** Messages per second; undefined: measured first. */
  capacity: number | undefined;
  overloadMs: number;
  workers: number;
  napMs: number;
  window: number;
  payloadBytes: number;
}

/** Steps of the search for the capacity: messages in flight. */
export const IN_FLIGHT_STEPS = [16, 64, 256, 1024] as const;
/** The first part of a step is not counted. */
export const STEP_WARM_UP_PART = 1 / 3;
/** Rate before and after the overload, to establish what is normal. */
export const PROBES_PER_SECOND = 10;
/** Upper bound of the rate, because memory is allocated beforehand. */
export const MOST_PER_SECOND = 60_000;

/** Durations before and after the overload, none longer than the overload itself. */
export function timesBesides({ overloadMs }: Pick<OverloadPlan, "overloadMs">) {
  const atMost = (ms: number) => Math.min(ms, overloadMs);
  return { stepMs: atMost(3000), baselineMs: atMost(2000), recoveryMs: atMost(10_000) };
}

export function mostMessages(plan: Pick<OverloadPlan, "overloadMs">): number {
  const { overloadMs } = plan;
  const { stepMs, baselineMs, recoveryMs } = timesBesides(plan);
  const besides = IN_FLIGHT_STEPS.length * stepMs + baselineMs + recoveryMs;
  return Math.ceil(((overloadMs + besides) / 1000) * MOST_PER_SECOND);
}
