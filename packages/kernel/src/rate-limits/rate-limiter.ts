import type { RateLimit } from "@fanfare/contract";

/** Subjects that one limiter remembers; the oldest is forgotten first. */
const MAX_RATE_LIMIT_SUBJECTS = 100_000;

/** What one subject has used since its first call. */
export interface RateWindow {
  readonly subject: string;
  used: number;
  /** What other processes have counted, as far as is known here. */
  others: number;
  /** How much of `used` the others have been told. */
  shared: number;
  endsAtMs: number;
}

export interface RateLimiterOptions {
  /** Multiplies the points, and never makes them none. */
  factor?: number;
  maxSubjects?: number;
  /** Told of every point that is taken or given back. */
  onTaken?: (window: RateWindow) => void;
}

/**
 * At most so many points per subject in a window that begins with the subject's first call. No timers and no promises:
 * it stands on the path of every message.
 */
export class RateLimiter {
  readonly points: number;
  readonly #durationMs: number;
  readonly #maxSubjects: number;
  readonly #onTaken: ((window: RateWindow) => void) | undefined;
  /** In the order in which they began. */
  readonly #windows = new Map<string, RateWindow>();

  constructor({ points, durationMs, unscaled }: RateLimit, options: RateLimiterOptions = {}) {
    const { factor = 1, maxSubjects = MAX_RATE_LIMIT_SUBJECTS, onTaken } = options;
    this.points = Math.max(1, Math.floor(points * (unscaled === true ? 1 : factor)));
    this.#durationMs = durationMs;
    this.#maxSubjects = maxSubjects;
    this.#onTaken = onTaken;
  }

  /**
   * @param points that the call takes while any are left, so that what is charged afterwards can exceed the limit once; 0 only asks
   * @returns 0 when the call is within the limit, otherwise the milliseconds until the next one will be
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

  /** Takes back a point of a call that is not to count after all. */
  giveBack(subject: string): void {
    const window = this.#windows.get(subject);
    if (window === undefined || window.used === 0) return;
    window.used -= 1;
    this.#onTaken?.(window);
  }

  /** The window that the subject is in, if it is remembered. */
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
