import type { RateLimit } from "@fanfare/contract";

/** Maximum number of subjects per limiter; the oldest is evicted first. */
const MAX_RATE_LIMIT_SUBJECTS = 100_000;

/** Usage of one subject since its first call. */
export interface RateWindow {
  readonly subject: string;
  used: number;
  /** Points counted by other processes, as last reported. */
  others: number;
  /** The part of `used` already shared with other processes. */
  shared: number;
  endsAtMs: number;
}

interface RateLimiterOptions {
  /** Multiplies the points, to at least one. */
  factor?: number;
  maxSubjects?: number;
  /** Called for every point taken or returned. */
  onTaken?: (window: RateWindow) => void;
}

/**
 * Allows a number of points per subject in a window that starts with the subject's first call. Uses no timers or promises
 * because it runs for every message.
 */
export class RateLimiter {
  readonly points: number;
  readonly #durationMs: number;
  readonly #maxSubjects: number;
  readonly #onTaken: ((window: RateWindow) => void) | undefined;
  /** In order of their start. */
  readonly #windows = new Map<string, RateWindow>();

  constructor({ points, durationMs, unscaled }: RateLimit, options: RateLimiterOptions = {}) {
    const { factor = 1, maxSubjects = MAX_RATE_LIMIT_SUBJECTS, onTaken } = options;
    this.points = Math.max(1, Math.floor(points * (unscaled === true ? 1 : factor)));
    this.#durationMs = durationMs;
    this.#maxSubjects = maxSubjects;
    this.#onTaken = onTaken;
  }

  /**
   * @param points taken if any are left, so a charge can exceed the limit once; 0 only checks
   * @returns 0 if the call is within the limit, otherwise the milliseconds until the next call is
   */
  take(subject: string, nowMs: number, points = 1): number {
    let window = this.#windows.get(subject);
    if (window === undefined || window.endsAtMs <= nowMs) window = this.#begin(subject, nowMs);
    if (window.used + window.others >= this.points) return window.endsAtMs - nowMs;
    if (points === 0) return 0;
    window.used += points;
    this.#onTaken?.(window);
    return 0;
  }

  /** Returns a point of a call that should not count. */
  giveBack(subject: string): void {
    const window = this.#windows.get(subject);
    if (window === undefined || window.used === 0) return;
    window.used -= 1;
    this.#onTaken?.(window);
  }

  /** The current window of the subject, if any. */
  windowOf(subject: string): RateWindow | undefined {
    return this.#windows.get(subject);
  }

  get size(): number {
    return this.#windows.size;
  }

  #begin(subject: string, nowMs: number): RateWindow {
    this.#windows.delete(subject);
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < this.#maxSubjects) break;
      this.#windows.delete(oldest);
    }
    const window = { subject, used: 0, others: 0, shared: 0, endsAtMs: nowMs + this.#durationMs };
    this.#windows.set(subject, window);
    return window;
  }
}
