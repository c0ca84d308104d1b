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
 * Milliseconds on the host's monotonic clock, as a double (resolution better than a microsecond). All threads
 * and processes of the host have the same origin, unlike with `performance.now()`. Source: libuv `uv_hrtime`,
 * CLOCK_MONOTONIC on Linux.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
