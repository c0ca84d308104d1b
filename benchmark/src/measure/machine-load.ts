import os from "node:os";
import { nowMs } from "./clock.ts";

/** What all programs of this machine, and this one, have used up to now. */
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
 * How many cores programs that have no part in the test keep busy meanwhile.
 * @param serverSeconds CPU time of the server up to now; it must run on this machine.
 * @returns ends the watch; told the server's CPU time again, answers the cores
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
