import type { Redis } from "ioredis";
import { Counter, type Registry } from "prom-client";
import { readGauge } from "./read-gauge.ts";

/** @param redis is connected */
export function watchRedis(registry: Registry, redis: Redis): void {
  readGauge({
    name: "fanfare_redis_connected",
    help: "1 while there is a connection to Redis.",
    registry,
    read: () => (redis.status === "ready" ? 1 : 0),
  });
  const reconnects = new Counter({
    name: "fanfare_redis_reconnects_total",
    help: "Times that the connection to Redis was made anew.",
    registers: [registry],
  });
  redis.on("ready", () => reconnects.inc());
}
