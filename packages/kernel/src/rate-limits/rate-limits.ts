import type { RateLimit } from "@fanfare/contract";
import { RateLimiter, type RateLimiterOptions } from "./rate-limiter.ts";

export interface ExactLimit {
  take(subject: string, nowMs: number): number | Promise<number>;
  /** Returns a point of a call that should not count. */
  giveBack(subject: string): void;
}

/**
 * Limits shared by all gateways. A name is a kind of call; subjects are counted within it.
 * `take` returns 0 if the call is within the limit, otherwise the milliseconds until the next call is.
 */
export interface RateLimits {
  /** Decides immediately from local counts: other gateways can allow some more calls before counts are exchanged. */
  quick(name: string, limit: RateLimit): { take(subject: string, nowMs: number, points?: number): number };
  /** Exact: asks the shared counters first if there may be points on other gateways. */
  exact(name: string, limit: RateLimit): ExactLimit;
  stop(): void;
}

/** Limits of a single process, without shared counters. */
export function createMemoryRateLimits(
  options: Pick<RateLimiterOptions, "factor" | "maxSubjects">,
): RateLimits {
  return {
    quick: (_name, limit) => new RateLimiter(limit, options),
    exact: (_name, limit) => new RateLimiter(limit, options),
    stop() {},
  };
}
