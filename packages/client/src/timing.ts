import { type Backoff, backoffMs } from "@fanfare/contract/backoff";
import { FanfareError } from "./errors.ts";

/** Most outages end within this time, so clients retry more often during it. */
const YOUNG_OUTAGE_MS = 60_000;
const YOUNG_OUTAGE_MAX_MS = 5_000;

/** The given backoff, but with a delay of at most five seconds in the first minute of an outage. */
export function inOutage(outageMs: number, { baseMs, maxMs }: Backoff): Backoff {
  return { baseMs, maxMs: outageMs < YOUNG_OUTAGE_MS ? Math.min(maxMs, YOUNG_OUTAGE_MAX_MS) : maxMs };
}

/**
 * The delay after a failure: as `backoffMs`, but at least what the server requested, plus a random part, because it sends
 * the same value to many clients.
 */
export function retryMs(attempt: number, backoff: Backoff, retryAfterMs: number): number {
  return Math.max(retryAfterMs * (1 + Math.random() / 4), backoffMs(attempt, backoff));
}

interface Retries {
  backoff: Backoff;
  tries: number;
  /** An error that requests a longer delay is not retried, in milliseconds. */
  maxDelayMs?: number;
}

/**
 * Repeats `work` after retryable errors, up to `tries` times in all.
 * @param work gets the number of the try, from 1
 * @throws the last error
 */
export async function retrying<T>(
  work: (attempt: number) => Promise<T>,
  { backoff, tries, maxDelayMs = Infinity }: Retries,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof FanfareError) || !error.retryable || attempt === tries) throw error;
      if (error.retryAfterMs > maxDelayMs) throw error;
      await sleep(retryMs(attempt - 1, backoff, error.retryAfterMs));
    }
  }
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

/** Calls `onIdle` once after a while without `reset`. */
export class IdleTimer {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #resetAtMs = 0;
  #waitMs = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** @param idleMs varied at random by up to a third, so that clients of the same channel don't sync together */
  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  reset(): void {
    this.#resetAtMs = Date.now();
    if (this.#timer !== null) return;
    this.#waitMs = this.#idleMs * (2 / 3 + (2 / 3) * Math.random());
    this.#wait(this.#waitMs);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One timer for any number of events: a reset only extends the wait. */
  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#resetAtMs + this.#waitMs - Date.now();
      if (leftMs > 0) {
        this.#wait(leftMs);
        return;
      }
      this.#timer = null;
      this.#onIdle();
    }, ms);
  }
}

/** Maximum number of tracked channels; the oldest is dropped first. */
const MAX_CHANNELS = 100;

/** Throttles typing notifications per channel to the rate at which the server publishes them. */
export class TypingThrottle {
  readonly #intervalMs: number;
  readonly #notify: (channelId: string) => void;
  readonly #notifiedAtMs = new Map<string, number>();

  constructor(intervalMs: number, notify: (channelId: string) => void) {
    this.#intervalMs = intervalMs;
    this.#notify = notify;
  }

  trigger(channelId: string, nowMs = Date.now()): void {
    const notifiedAtMs = this.#notifiedAtMs.get(channelId);
    if (notifiedAtMs !== undefined && nowMs - notifiedAtMs < this.#intervalMs) return;
    this.#notifiedAtMs.delete(channelId);
    this.#notifiedAtMs.set(channelId, nowMs);
    for (const oldest of this.#notifiedAtMs.keys()) {
      if (this.#notifiedAtMs.size <= MAX_CHANNELS) break;
      this.#notifiedAtMs.delete(oldest);
    }
    this.#notify(channelId);
  }
}
