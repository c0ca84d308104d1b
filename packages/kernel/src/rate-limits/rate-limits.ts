import type { RateLimit } from "@fanfare/contract";
import { RateLimiter, type RateLimiterOptions } from "./rate-limiter.ts";

export interface ExactLimit {
  take(subject: string, nowMs: number): number | Promise<number>;
  /** Takes back a point of a call that is not to count after all. */
  giveBack(subject: string): void;
}

/**
 * Limits whose counts all gateways share. A name is a kind of call; subjects are counted within it.
 * What `take` answers is 0 when the call is within the limit, otherwise the milliseconds until the next one will be.
 */
export interface RateLimits {
  /** Decides at once, by what is known here: other gateways may let some more through before they hear of it. */
  quick(name: string, limit: RateLimit): { take(subject: string, nowMs: number, points?: number): number };
  /** Asks the others first, and waits for them only where there is something to ask. */
  exact(name: string, limit: RateLimit): ExactLimit;
  stop(): void;
}

/** The limits of a single process, which shares no counters. */
export function createMemoryRateLimits(
  options: Pick<RateLimiterOptions, "factor" | "maxSubjects">,
): RateLimits {
  return {
    quick: (_name, limit) => new RateLimiter(limit, options),
    exact: (_name, limit) => new RateLimiter(limit, options),
    stop() {},
  };
}
