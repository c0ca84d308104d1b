import type { ClusterSize } from "../../platform/cluster.ts";

/**
 * `rolling`: gateways are stopped one after the other, drain, and restart. `kill`: kill -9 of one gateway.
 * `all`: kill -9 of all of them in the same instant, so that all clients reconnect at once.
 */
export const FAULTS = ["rolling", "kill", "all"] as const;
export type Fault = (typeof FAULTS)[number];

/** The options of a storm. Durations in milliseconds. */
export interface StormPlan {
  /** All receiving members: light ones, and `sdk` of them with the SDK. */
  users: number;
  sdk: number;
  /** How many of those with the SDK take turns in sending. */
  senders: number;
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  faults: Fault[];
  messagesPerSecond: number;
  steadyMs: number;
  /** How long to wait for the last client to recover, per fault. */
  timeoutMs: number;
  workers: number;
  napMs: number;
  window: number;
  payloadBytes: number;
}

/** More than any storm sends, because memory is allocated beforehand. */
export function mostMessages({ faults, cluster, messagesPerSecond, steadyMs, timeoutMs }: StormPlan): number {
  const outages = faults.reduce(
    (sum, fault) => sum + (fault === "rolling" ? (cluster?.gateways ?? 1) : 1),
    0,
  );
  const ms = steadyMs + outages * (timeoutMs + START_MS + QUIET_MS);
  return Math.ceil((ms / 1000) * messagesPerSecond) + 1;
}

/** The time a gateway may take to stop and restart. */
const START_MS = 15_000;
/** Between two faults. */
export const QUIET_MS = 2000;
