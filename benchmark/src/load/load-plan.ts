import type { LoadLoop } from "./load-result.ts";

/** What a run is told, whatever it sends. Durations in milliseconds. */
export interface LoadPlan {
  loop: LoadLoop;
  /** Requests before the measured ones; never more than these. */
  warmUp: number;
  /** When a request that is not answered is given up, and when one stops waiting for deliveries. */
  timeoutMs: number;
  payloadBytes: number;
  /** Registrations, and connections, being made at the same time. */
  window: number;
  napMs: number;
  /** Threads that send, and threads for those who only receive. */
  sendingThreads: number;
  receivingThreads: number;
}

/** The same loop for the warm-up: as many on their way, or as many per second. */
export function warmUpLoop(loop: LoadLoop, requests: number): LoadLoop {
  return loop.kind === "closed"
    ? { ...loop, requests }
    : { ...loop, requests, durationMs: (requests / loop.perSecond) * 1000 };
}
