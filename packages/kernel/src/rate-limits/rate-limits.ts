import type { RateLimit } from "@fanfare/contract";
import type { Logger } from "../logger.ts";
import type { SharedCounters } from "./counters.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { SharedRateLimits } from "./shared-rate-limits.ts";

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

interface RateLimitsOptions {
  /** Counters shared by all gateways; null if there is only one. */
  counters: SharedCounters | null;
  logger: Logger;
  /** Multiplies every limit. */
  factor: number;
}

export function createRateLimits({ counters, logger, factor }: RateLimitsOptions): RateLimits {
  if (counters !== null) return new SharedRateLimits({ counters, logger, factor });
  const limiter = (_name: string, limit: RateLimit) => new RateLimiter(limit, { factor });
  return { quick: limiter, exact: limiter, stop() {} };
}
