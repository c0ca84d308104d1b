import type { RateLimit } from "@fanfare/contract";
import { MAX_RATE_LIMIT_SUBJECTS } from "./bounds.ts";

interface Window {
  used: number;
  endsAtMs: number;
}

/**
 * At most so many points per subject in a window that begins with the subject's first call. No timers and no promises:
 * it stands on the path of every message.
 */
export class RateLimiter {
  readonly #points: number;
  readonly #durationMs: number;
  readonly #maxSubjects: number;
  /** In the order in which they end, because all windows are of the same length. */
  readonly #windows = new Map<string, Window>();

  constructor({ points, durationMs }: RateLimit, factor: number, maxSubjects = MAX_RATE_LIMIT_SUBJECTS) {
    this.#points = Math.max(1, Math.floor(points * factor));
    this.#durationMs = durationMs;
    this.#maxSubjects = maxSubjects;
  }

  /** @returns 0 when the call is within the limit, otherwise the milliseconds until the next one will be */
  take(subject: string, nowMs: number): number {
    const window = this.#windows.get(subject);
    if (window === undefined || window.endsAtMs <= nowMs) {
      this.#begin(subject, nowMs);
      return 0;
    }
    if (window.used >= this.#points) return window.endsAtMs - nowMs;
    window.used += 1;
    return 0;
  }

  get size(): number {
    return this.#windows.size;
  }

  #begin(subject: string, nowMs: number): void {
    this.#windows.delete(subject);
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < this.#maxSubjects) break;
      this.#windows.delete(oldest);
    }
    this.#windows.set(subject, { used: 1, endsAtMs: nowMs + this.#durationMs });
  }
}
