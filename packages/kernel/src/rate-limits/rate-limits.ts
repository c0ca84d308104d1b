import type { RateLimit } from "@fanfare/contract";
import type { Logger } from "../logger.ts";
import { RateLimiter, type RateWindow, type SharedCounters } from "./counters.ts";
import { WorkTimer } from "../work-queue.ts";

export interface ExactLimit {
  take(subject: string, nowMs: number): number | Promise<number>;
  /** Returns a point of a call that should not count. */
  giveBack(subject: string): void;
}

/**
 * Limits shared by all gateways. A name is a kind of call; subjects are counted within it.
 * `take` returns 0 if the call is within the limit, otherwise the milliseconds until the next call is.
 */
export interface RateLimits {
  /** Decides immediately from local counts: other gateways can allow some more calls before counts are exchanged. */
  quick(name: string, limit: RateLimit): { take(subject: string, nowMs: number, points?: number): number };
  /** Exact: asks the shared counters first if there may be points on other gateways. */
  exact(name: string, limit: RateLimit): ExactLimit;
  stop(): void;
}

interface RateLimitsOptions {
  /** Counters shared by all gateways; null if there is only one. */
  counters: SharedCounters | null;
  logger: Logger;
  /** Multiplies every limit. */
  factor: number;
}

export function createRateLimits({ counters, logger, factor }: RateLimitsOptions): RateLimits {
  if (counters !== null) return new SharedRateLimits({ counters, logger, factor });
  const limiter = (_name: string, limit: RateLimit) => new RateLimiter(limit, { factor });
  return { quick: limiter, exact: limiter, stop() {} };
}

/** Interval at which counts are exchanged. */
const SHARE_EVERY_MS = 100;
/** Subjects per command; the rest wait for the next one, so no command blocks Redis or this process for long. */
const MAX_PER_COMMAND = 1000;
/**
 * A count is shared once it reaches this part of the limit, so the many callers far below it cost nothing. In return, a subject
 * that stays below it at each of n gateways can use n such parts uncounted.
 */
const SHARED_FROM = 1 / 8;
/** Maximum number of windows waiting to be shared; further ones are not shared. */
const MAX_UNSHARED = 100_000;
/** Timeout for an exact count. */
const RESPONSE_TIMEOUT_MS = 250;

interface SharedRateLimitsOptions {
  counters: SharedCounters;
  logger: Logger;
  factor: number;
}

/**
 * Limits shared by all gateways. The shared counters decide when a window ends: the first gateway to report it sets the end.
 * While the counters are unavailable, each gateway counts separately.
 */
class SharedRateLimits implements RateLimits {
  readonly #options: SharedRateLimitsOptions;
  /** Windows with unshared points, by key. */
  readonly #unshared = new Map<string, RateWindow>();
  readonly #timer = new WorkTimer(SHARE_EVERY_MS, () => {
    void this.#shareSome();
    return this.#sharing;
  });
  #sharing = false;
  #isUnavailable = false;

  constructor(options: SharedRateLimitsOptions) {
    this.#options = options;
  }

  quick(name: string, limit: RateLimit): RateLimiter {
    const limiter: RateLimiter = new RateLimiter(limit, {
      ...this.#options,
      onTaken: (window) => {
        if (window.used < limiter.points * SHARED_FROM || this.#unshared.size >= MAX_UNSHARED) return;
        this.#shareLater(`${name}:${window.subject}`, window);
      },
    });
    return limiter;
  }

  exact(name: string, limit: RateLimit) {
    const limiter = new RateLimiter(limit, this.#options);
    return {
      take: (subject: string, nowMs: number): number | Promise<number> => {
        const retryAfterMs = limiter.take(subject, nowMs);
        const window = limiter.windowOf(subject);
        if (retryAfterMs > 0 || window === undefined || this.#isUnavailable) return retryAfterMs;
        return this.#ask(`${name}:${subject}`, window, limiter.points);
      },
      giveBack: (subject: string): void => {
        limiter.giveBack(subject);
        const window = limiter.windowOf(subject);
        if (window !== undefined && this.#unshared.size < MAX_UNSHARED)
          this.#shareLater(`${name}:${subject}`, window);
      },
    };
  }

  stop(): void {
    this.#timer.stop();
  }

  #shareLater(key: string, window: RateWindow): void {
    this.#unshared.set(key, window);
    this.#timer.start();
  }

  async #ask(key: string, window: RateWindow, points: number): Promise<number> {
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      // No further requests until the counters respond again, so that requests don't pile up.
      this.#setUnavailable(new Error(`no response within ${RESPONSE_TIMEOUT_MS} ms`));
      timeout.resolve(null);
    }, RESPONSE_TIMEOUT_MS);
    const results = await Promise.race([this.#share([[key, window]]), timeout.promise]);
    clearTimeout(timer);
    if (results === null) return 0;
    const [total, leftMs] = results as [number, number];
    return total > points ? Math.max(1, leftMs) : 0;
  }

  /** Exchanges never overlap. While the counters are unavailable, exchanges detect when they are back. */
  async #shareSome(): Promise<void> {
    if (this.#sharing || (this.#unshared.size === 0 && !this.#isUnavailable)) return;
    this.#sharing = true;
    const nowMs = Date.now();
    const some: [string, RateWindow][] = [];
    for (const [key, window] of this.#unshared) {
      if (some.length === MAX_PER_COMMAND) break;
      this.#unshared.delete(key);
      if (window.endsAtMs > nowMs) some.push([key, window]);
    }
    await this.#share(some);
    this.#sharing = false;
  }

  /**
   * Shares the unshared points of these windows and fetches the totals.
   * @returns total and milliseconds left of each, or null if the counters are unavailable
   */
  async #share(windows: readonly [string, RateWindow][]): Promise<number[] | null> {
    const sentAtMs = Date.now();
    const unshared = windows.map(([, { used, shared }]) => used - shared);
    const steps = windows.flatMap(([key, window], index) => {
      window.shared = window.used;
      return [key, unshared[index]!, Math.max(1, window.endsAtMs - sentAtMs)];
    });
    try {
      const results = await this.#options.counters.add(steps);
      const nowMs = Date.now();
      windows.forEach(([, window], index) => {
        window.others = Math.max(0, results[2 * index]! - window.shared);
        window.endsAtMs = nowMs + results[2 * index + 1]!;
      });
      this.#setBack();
      return results;
    } catch (error) {
      windows.forEach(([, window], index) => (window.shared -= unshared[index]!));
      this.#setUnavailable(error);
      return null;
    }
  }

  #setUnavailable(error: unknown): void {
    if (!this.#isUnavailable)
      this.#options.logger.warn(
        { err: error },
        "shared rate limits unavailable, each gateway counts separately",
      );
    this.#isUnavailable = true;
    this.#timer.start();
  }

  #setBack(): void {
    if (this.#isUnavailable) this.#options.logger.info("rate limits shared again");
    this.#isUnavailable = false;
  }
}
