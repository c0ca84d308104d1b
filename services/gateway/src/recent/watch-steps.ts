import { monitorEventLoopDelay } from "node:perf_hooks";
import { LIMITS } from "@fanfare/contract";
import { RecentSteps } from "./recent-steps.ts";

/** How often the event loop is looked at. */
const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

export interface WatchedSteps {
  recent: RecentSteps;
  stop: () => void;
}

/** @param connections how many sockets are connected now */
export function watchSteps(connections: () => number): WatchedSteps {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let memoryBytes = 0;
  const recent = new RecentSteps(() => {
    const eventLoopDelayMs = Math.max(0, delay.max / NS_PER_MS - RESOLUTION_MS);
    delay.reset();
    memoryBytes = readMemory() ?? memoryBytes;
    return { connections: connections(), eventLoopDelayMs, memoryBytes };
  }, Date.now());
  const again = (): void => {
    timer = setTimeout(again, recent.endStep(Date.now()));
  };
  let timer = setTimeout(again, LIMITS.metricsStepMs - (Date.now() % LIMITS.metricsStepMs));
  return {
    recent,
    stop() {
      clearTimeout(timer);
      delay.disable();
    },
  };
}

/** undefined while no file can be opened: the system tells it in one. */
function readMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
