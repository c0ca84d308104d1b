import { readFileSync } from "node:fs";
import { nowMs } from "./clock.ts";

/** Resources that the calling thread has used so far. The difference of two samples is its load. */
export interface ThreadLoad {
  atMs: number;
  cpuMs: number;
  /** How long it was runnable but waiting for a core; null if the system doesn't report it. */
  waitMs: number | null;
}

export function sampleThreadLoad(): ThreadLoad {
  const { user, system } = process.threadCpuUsage();
  return { atMs: nowMs(), cpuMs: (user + system) / 1000, waitMs: readWaitMs() };
}

/** Second field of schedstat, in nanoseconds: Documentation/scheduler/sched-stats.rst of the Linux kernel. */
function readWaitMs(): number | null {
  if (process.platform !== "linux") return null;
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return null;
  }
}
