import os from "node:os";
import { nowMs } from "./clock.ts";

/** What all programs of this machine, and this one, have used so far. */
interface MachineSample {
  atMs: number;
  allSeconds: number;
  ownSeconds: number;
  serverSeconds: number;
}

function sample(serverSeconds: number): MachineSample {
  const allMs = os
    .cpus()
    .reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  const { user, system } = process.cpuUsage();
  return { atMs: nowMs(), allSeconds: allMs / 1000, ownSeconds: (user + system) / 1e6, serverSeconds };
}

/**
 * Measures how many cores unrelated programs use.
 * @param serverSeconds CPU time of the server so far; it must run on this machine
 * @returns ends the watch: takes the server's CPU time at the end, returns the cores
 */
export function watchOtherPrograms(serverSeconds: number): (serverSeconds: number) => number {
  const before = sample(serverSeconds);
  return (serverSecondsAfter) => {
    const after = sample(serverSecondsAfter);
    const used = (of: (machine: MachineSample) => number) => of(after) - of(before);
    const others = used((m) => m.allSeconds) - used((m) => m.ownSeconds) - used((m) => m.serverSeconds);
    return Math.max(0, others / (used((m) => m.atMs) / 1000));
  };
}
