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
export const STEP_MS = 3000;
/** The first part of a step is not counted. */
export const STEP_WARM_UP_MS = 1000;
/** What is sent before and after the overload, to see what is normal. */
export const PROBES_PER_SECOND = 10;
export const BASELINE_MS = 2000;
export const RECOVERY_MS = 10_000;
/** No more messages per second are sent in any case: memory for them is taken beforehand. */
export const MOST_PER_SECOND = 60_000;

export function mostMessages({ overloadMs }: Pick<OverloadPlan, "overloadMs">): number {
  const besides = IN_FLIGHT_STEPS.length * STEP_MS + BASELINE_MS + RECOVERY_MS;
  return Math.ceil(((overloadMs + besides) / 1000) * MOST_PER_SECOND);
}
