import { Redis } from "ioredis";
import { unreachable } from "./errors.ts";
import type { Logger } from "./logger.ts";

const CONNECT_TIMEOUT_MS = 5000;
/** A server that doesn't respond for this long counts as unavailable. */
const RESPONSE_TIMEOUT_MS = 5000;
const LONGEST_RETRY_MS = 1000;

/**
 * Connects to Redis or a compatible server. Reconnects after an interruption; until then commands fail immediately, so callers
 * must be able to work without it.
 * @throws {StartError}
 */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: RESPONSE_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 50, LONGEST_RETRY_MS),
  });
  let lastError: unknown;
  redis.on("error", (error: unknown) => {
    if (String(error) !== String(lastError)) logger.warn({ err: error }, "Redis connection failed");
    lastError = error;
  });
  redis.on("ready", () => {
    lastError = undefined;
  });
  try {
    await redis.connect();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw unreachable("Redis", url, lastError ?? error, "Start it, or correct REDIS_URL.");
  }
}
