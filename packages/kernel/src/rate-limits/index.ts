import type { Redis } from "ioredis";
import type { Logger } from "../logger.ts";
import { createMemoryRateLimits } from "./memory-rate-limits.ts";
import { RedisRateLimits } from "./redis-rate-limits.ts";
import type { RateLimits } from "./rate-limits.ts";

export { RateLimiter } from "./rate-limiter.ts";
export type { RateLimits } from "./rate-limits.ts";

export interface RateLimitsOptions {
  /** null: this process counts alone. */
  redis: Redis | null;
  logger: Logger;
  /** Multiplies every limit. */
  factor: number;
}

export function createRateLimits({ redis, logger, factor }: RateLimitsOptions): RateLimits {
  return redis === null ? createMemoryRateLimits({ factor }) : new RedisRateLimits({ redis, logger, factor });
}
