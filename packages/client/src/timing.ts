export interface Backoff {
  /** The longest wait before the first repetition, in milliseconds. */
  baseMs: number;
  /** The longest wait of all, in milliseconds. */
  maxMs: number;
}

/**
 * How long to wait before repetition number `attempt` (0 is the first): a random time in the upper half of a bound that
 * doubles each time, so that a crowd that failed together does not come back together.
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random = Math.random): number {
  const boundMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return boundMs / 2 + (random() * boundMs) / 2;
}

/** Resolves after `ms`, or at once when `signal` is aborted; never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
