import { setTimeout as sleep } from "node:timers/promises";

/** Stops waiting on an abort signal; the work itself continues. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Ends the work without an error on an abort signal: what was measured until then counts. */
export async function untilAborted(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/**
 * Polls until it is done or the time is over.
 * @returns whether it is done
 * @throws {Error} if the signal aborts
 */
export async function waitUntil(
  isDone: () => boolean,
  timeoutMs: number,
  signal?: AbortSignal,
  pollMs = 20,
): Promise<boolean> {
  const deadlineMs = nowMs() + timeoutMs;
  while (!isDone()) {
    if (nowMs() >= deadlineMs) return false;
    await sleep(pollMs, undefined, { signal });
  }
  return true;
}

/**
 * Milliseconds on the host's monotonic clock, as a double (resolution better than a microsecond). All threads
 * and processes of the host have the same origin, unlike with `performance.now()`. Source: libuv `uv_hrtime`,
 * CLOCK_MONOTONIC on Linux.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
