import type { ReceiverKind } from "../../receivers/receiver.ts";

/** The options of a capacity search. Durations in milliseconds. */
export interface CapacityPlan {
  /** Every message must reach all members within this time. */
  p100LimitMs: number;
  searches: readonly ("users" | "rate")[];
  /** Upper bounds of the searches. */
  mostUsers: number;
  mostPerSecond: number;
  /** Members online during the search for the rate. */
  members: number;
  senders: number;
  /** How long each rate is sustained. */
  rateMs: number;
  /** A search ends when the lowest failing value divided by the highest passing one is below this. */
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
/** Messages per attempt with a number of users; the worst of them counts. */
export const MESSAGES = 5;
/** At the beginning of each rate, not counted. */
export const RATE_WARM_UP_MS = 1000;
