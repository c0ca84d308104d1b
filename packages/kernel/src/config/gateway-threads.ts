import { availableParallelism } from "node:os";

const MAX_DEFAULT_THREADS = 4;

/**
 * The default of `GATEWAY_THREADS` for a single instance: half the processor cores, 2 to 4. 0 if there is only one core or the
 * system can't distribute the connections of one port over threads (only Linux can).
 */
export function defaultGatewayThreads(): number {
  if (process.platform !== "linux" || availableParallelism() < 2) return 0;
  return Math.min(Math.max(2, Math.floor(availableParallelism() / 2)), MAX_DEFAULT_THREADS);
}
