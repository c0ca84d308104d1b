import { readFileSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { nowMs } from "./clock.ts";

/** Resources that the calling thread has used so far. The difference of two samples is its load. */
export interface ThreadLoad {
  atMs: number;
  cpuMs: number;
  /** How long it was runnable but waiting for a core; null if the system doesn't report it. */
  waitMs: number | null;
  /** In garbage collection, since the first sample. */
  gcMs: number;
}

let gcMs = 0;
const count = (entries: readonly { duration: number }[]) => {
  for (const { duration } of entries) gcMs += duration;
};
const collections = new PerformanceObserver((list) => count(list.getEntries()));
let isObserving = false;

export function sampleThreadLoad(): ThreadLoad {
  if (!isObserving) collections.observe({ entryTypes: ["gc"] });
  isObserving = true;
  count(collections.takeRecords());
  const [onCpuMs, waitMs] = readSchedulerTimes();
  return { atMs: nowMs(), cpuMs: readCpuMs() ?? onCpuMs ?? 0, waitMs: waitMs ?? null, gcMs };
}

/** undefined: a Node 22 without this function. */
function readCpuMs(): number | undefined {
  if (typeof process.threadCpuUsage !== "function") return undefined;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** On the CPU and waiting, from schedstat: Documentation/scheduler/sched-stats.rst of the Linux kernel. */
function readSchedulerTimes(): number[] {
  if (process.platform !== "linux") return [];
  try {
    const text = readFileSync("/proc/thread-self/schedstat", "utf8");
    return text.split(" ", 2).map((nanoseconds) => Number(nanoseconds) / 1e6);
  } catch {
    return [];
  }
}

/** Of the busiest of several threads: its share of a core, and the share of the time it waited for one. */
export function busiestThread(
  before: readonly ThreadLoad[],
  after: readonly ThreadLoad[],
): { busy: number | null; waiting: number | null } {
  const largest = (used: (load: ThreadLoad) => number | null): number | null => {
    const shares = after.flatMap((load, i) => {
      const [from, to, durationMs] = [used(before[i]!), used(load), load.atMs - before[i]!.atMs];
      return from === null || to === null || durationMs <= 0 ? [] : [Math.min(1, (to - from) / durationMs)];
    });
    return shares.length === 0 ? null : Math.max(...shares);
  };
  return { busy: largest((load) => load.cpuMs), waiting: largest((load) => load.waitMs) };
}
