import { readFileSync } from "node:fs";
import { nowMs } from "./clock.ts";

/** What the calling thread has used up to now. Differences of two samples say how busy it was. */
export interface ThreadLoad {
  atMs: number;
  cpuMs: number;
  /** How long it was ready to run but had to wait for a core; null where the system does not tell. */
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
