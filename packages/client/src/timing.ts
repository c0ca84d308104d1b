export interface Backoff {
  /** The longest delay before the first retry, in milliseconds. */
  baseMs: number;
  /** The longest delay, in milliseconds. */
  maxMs: number;
}

/** Most outages end within this time, so clients retry more often during it. */
const YOUNG_OUTAGE_MS = 60_000;
const YOUNG_OUTAGE_MAX_MS = 5_000;

/** As `backoff`, but with a delay of at most five seconds in the first minute of an outage. */
export function inOutage(outageMs: number, { baseMs, maxMs }: Backoff): Backoff {
  return { baseMs, maxMs: outageMs < YOUNG_OUTAGE_MS ? Math.min(maxMs, YOUNG_OUTAGE_MAX_MS) : maxMs };
}

/**
 * The delay before retry number `attempt` (0 is the first): a random time in the upper half of a limit that
 * doubles each time, so that clients that failed together don't retry together.
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random = Math.random): number {
  const boundMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return boundMs / 2 + (random() * boundMs) / 2;
}

/**
 * The delay after a failure: as `backoffMs`, but at least what the server requested, plus a random part, because it sends
 * the same value to many clients.
 */
export function retryMs(
  attempt: number,
  backoff: Backoff,
  retryAfterMs: number,
  random = Math.random,
): number {
  return Math.max(retryAfterMs * (1 + random() / 4), backoffMs(attempt, backoff, random));
}

/** Resolves after `ms`, or when `signal` is aborted; never rejects. */
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

/** As `sleep`. In browsers, it also resolves once the device is back online. */
export async function sleepUntilOnline(ms: number, signal: AbortSignal): Promise<void> {
  const browser = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;
  const online = new AbortController();
  const wake = () => online.abort();
  browser.addEventListener?.("online", wake);
  signal.addEventListener("abort", wake);
  if (!signal.aborted) await sleep(ms, online.signal);
  browser.removeEventListener?.("online", wake);
  signal.removeEventListener("abort", wake);
}
