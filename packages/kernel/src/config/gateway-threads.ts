import { availableParallelism } from "node:os";

const MAX_DEFAULT_THREADS = 4;

/**
 * How many gateway threads a single instance starts when `GATEWAY_THREADS` is not set: half the processor cores, 2 to 4. 0 where
 * the system cannot spread the connections of one port over threads (only Linux can), or where there is only one core.
 */
export function defaultGatewayThreads(): number {
  if (process.platform !== "linux" || availableParallelism() < 2) return 0;
  return Math.min(Math.max(2, Math.floor(availableParallelism() / 2)), MAX_DEFAULT_THREADS);
}
