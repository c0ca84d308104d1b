import type { ReceiverKind } from "../receiver/receiver.ts";

/** Everything that a search for the capacity is told. Durations in milliseconds. */
export interface CapacityPlan {
  /** Every message has to be at all members within this time. */
  p100LimitMs: number;
  searches: readonly ("users" | "rate")[];
  /** Bounds of the searches. */
  mostUsers: number;
  mostPerSecond: number;
  /** Members online while the rate is searched. */
  members: number;
  senders: number;
  /** How long each rate is kept up. */
  rateMs: number;
  /** The ratio of what did not hold to what did at which a search ends. */
  precision: number;
  kind: ReceiverKind;
  workers: number;
  napMs: number;
  window: number;
  connectTimeoutMs: number;
  payloadBytes: number;
}

export const FIRST_USERS = 100;
export const FIRST_PER_SECOND = 50;
/** Messages of one attempt with so many users: the worst of them counts. */
export const MESSAGES = 5;
/** At the beginning of each rate, not counted. */
export const RATE_WARM_UP_MS = 1000;
