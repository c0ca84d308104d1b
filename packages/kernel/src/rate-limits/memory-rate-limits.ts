import { RateLimiter, type RateLimiterOptions } from "./rate-limiter.ts";
import type { RateLimits } from "./rate-limits.ts";

/** The limits of a single process: nobody else counts. */
export function createMemoryRateLimits(
  options: Pick<RateLimiterOptions, "factor" | "maxSubjects">,
): RateLimits {
  return {
    quick: (_name, limit) => new RateLimiter(limit, options),
    exact: (_name, limit) => new RateLimiter(limit, options),
    stop() {},
  };
}
