import type { ClusterSize } from "../platform/cluster.ts";

/** Everything that an overload is told. Durations in milliseconds. */
export interface OverloadPlan {
  /** Members who receive; those who send come on top. */
  users: number;
  senders: number;
  /** Members whose clients hang: their connections are open and nobody reads them. */
  stalled: number;
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  /** How many times the capacity is sent. */
  factor: number;
  /** Messages per second; undefined: found out first. */
  capacity: number | undefined;
  overloadMs: number;
  workers: number;
  napMs: number;
  window: number;
  payloadBytes: number;
}

/** Steps of the search for the capacity: messages on their way at the same time. */
export const IN_FLIGHT_STEPS = [16, 64, 256, 1024] as const;
/** The first part of a step is not counted. */
export const STEP_WARM_UP_PART = 1 / 3;
/** What is sent before and after the overload, to see what is normal. */
export const PROBES_PER_SECOND = 10;
/** No more messages per second are sent in any case: memory for them is taken beforehand. */
export const MOST_PER_SECOND = 60_000;

/** What comes before and after the overload; none of it takes longer than the overload itself. */
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
