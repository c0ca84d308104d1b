import type { LoadLoop } from "./load-result.ts";

/** Options common to all load runs. Durations in milliseconds. */
export interface LoadPlan {
  loop: LoadLoop;
  /** Requests before the measured ones; never more than these. */
  warmUp: number;
  /** When an unanswered request times out, and when waiting for deliveries ends. */
  timeoutMs: number;
  payloadBytes: number;
  /** Concurrent registrations and connection attempts. */
  window: number;
  napMs: number;
  /** Threads that send, and threads for users who only receive. */
  sendingThreads: number;
  receivingThreads: number;
}

/** The same loop for the warm-up: the same concurrency or rate. */
export function warmUpLoop(loop: LoadLoop, requests: number): LoadLoop {
  return loop.kind === "closed"
    ? { ...loop, requests }
    : { ...loop, requests, durationMs: (requests / loop.perSecond) * 1000 };
}
