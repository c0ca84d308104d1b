import type { Logger } from "../logger.ts";
import type { SharedCounters } from "./counters.ts";
import { createMemoryRateLimits, type RateLimits } from "./rate-limits.ts";
import { SharedRateLimits } from "./shared-rate-limits.ts";

export type { SharedCounters } from "./counters.ts";
export { MemoryCounters } from "./counters.ts";
export { RateLimiter } from "./rate-limiter.ts";
export type { ExactLimit, RateLimits } from "./rate-limits.ts";
export { redisCounters } from "./counters.ts";

export interface RateLimitsOptions {
  /** Counters shared by all gateways; null if there is only one. */
  counters: SharedCounters | null;
  logger: Logger;
  /** Multiplies every limit. */
  factor: number;
}

export function createRateLimits({ counters, logger, factor }: RateLimitsOptions): RateLimits {
  return counters === null
    ? createMemoryRateLimits({ factor })
    : new SharedRateLimits({ counters, logger, factor });
}
