export interface Backoff {
  /** The longest wait before the first repetition, in milliseconds. */
  baseMs: number;
  /** The longest wait of all, in milliseconds. */
  maxMs: number;
}

/** So long most outages have ended, and their end is not to be slept through. */
const YOUNG_OUTAGE_MS = 60_000;
const YOUNG_OUTAGE_MAX_MS = 5_000;

/** As `backoff`, but waits for five seconds at most within the first minute of an outage. */
export function inOutage(outageMs: number, { baseMs, maxMs }: Backoff): Backoff {
  return { baseMs, maxMs: outageMs < YOUNG_OUTAGE_MS ? Math.min(maxMs, YOUNG_OUTAGE_MAX_MS) : maxMs };
}

/**
 * How long to wait before repetition number `attempt` (0 is the first): a random time in the upper half of a bound that
 * doubles each time, so that a crowd that failed together does not come back together.
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random = Math.random): number {
  const boundMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return boundMs / 2 + (random() * boundMs) / 2;
}

/**
 * How long to wait after a failure: as `backoffMs`, but never less than the server asked for. A random part is added to that
 * too: all whom it refused were told the same.
 */
export function retryMs(
  attempt: number,
  backoff: Backoff,
  retryAfterMs: number,
  random = Math.random,
): number {
  return Math.max(retryAfterMs * (1 + random() / 4), backoffMs(attempt, backoff, random));
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
