import type { RateLimit } from "@fanfare/contract";
import type { Logger } from "../logger.ts";
import { RateLimiter, type RateLimiterOptions, type RateWindow } from "./rate-limiter.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { SharedCounters } from "./counters.ts";

/** How often counts are exchanged. */
const SHARE_EVERY_MS = 100;
/** Subjects in one command; the others wait for the next, so that nobody is ever busy with it for long. */
const MAX_PER_COMMAND = 1000;
/**
 * A count is shared once it is this part of the limit: most callers are never near it, and cost nothing. The price: of a
 * subject that keeps below it at each of n gateways n such parts go unseen.
 */
const SHARED_FROM = 1 / 8;
/** Windows that wait to be shared, at most; of those above it nothing is told. */
const MAX_UNTOLD = 100_000;
/** How long an exact count is waited for. */
const ANSWER_TIMEOUT_MS = 250;

export interface SharedRateLimitsOptions extends Pick<RateLimiterOptions, "factor" | "maxSubjects"> {
  counters: SharedCounters;
  logger: Logger;
}

/**
 * Limits that gateways share. A window ends everywhere when it ends at the counters, where it has the end that the first gateway
 * to tell of it has given it. While the counters are away each gateway counts alone.
 */
export class SharedRateLimits implements RateLimits {
  readonly #options: SharedRateLimitsOptions;
  /** By key: windows with something to tell. */
  readonly #untold = new Map<string, RateWindow>();
  readonly #timer: NodeJS.Timeout;
  #sharing = false;
  #isAway = false;

  constructor(options: SharedRateLimitsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#shareSome(), SHARE_EVERY_MS).unref();
  }

  quick(name: string, limit: RateLimit): RateLimiter {
    const limiter: RateLimiter = new RateLimiter(limit, {
      ...this.#options,
      onTaken: (window) => {
        if (window.used < limiter.points * SHARED_FROM || this.#untold.size >= MAX_UNTOLD) return;
        this.#untold.set(`${name}:${window.subject}`, window);
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
        if (retryAfterMs > 0 || window === undefined || this.#isAway) return retryAfterMs;
        return this.#ask(`${name}:${subject}`, window, limiter.points);
      },
      giveBack: (subject: string): void => {
        limiter.giveBack(subject);
        const window = limiter.windowOf(subject);
        if (window !== undefined && this.#untold.size < MAX_UNTOLD)
          this.#untold.set(`${name}:${subject}`, window);
      },
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #ask(key: string, window: RateWindow, points: number): Promise<number> {
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      // From here on nobody asks until there has been an answer something, so that nothing piles up.
      this.#setAway(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`));
      timeout.resolve(null);
    }, ANSWER_TIMEOUT_MS);
    const answers = await Promise.race([this.#share([[key, window]]), timeout.promise]);
    clearTimeout(timer);
    if (answers === null) return 0;
    const [total, leftMs] = answers as [number, number];
    return total > points ? Math.max(1, leftMs) : 0;
  }

  /** Nothing new is begun while an exchange is under way, and while the counters are away an exchange is how its return is noticed. */
  async #shareSome(): Promise<void> {
    if (this.#sharing || (this.#untold.size === 0 && !this.#isAway)) return;
    this.#sharing = true;
    const nowMs = Date.now();
    const some: [string, RateWindow][] = [];
    for (const [key, window] of this.#untold) {
      if (some.length === MAX_PER_COMMAND) break;
      this.#untold.delete(key);
      if (window.endsAtMs > nowMs) some.push([key, window]);
    }
    await this.#share(some);
    this.#sharing = false;
  }

  /**
   * Tells what is untold of these windows, and learns what others have counted.
   * @returns total and milliseconds left of each, or null when the counters are away
   */
  async #share(windows: readonly [string, RateWindow][]): Promise<number[] | null> {
    const sentAtMs = Date.now();
    const untold = windows.map(([, { used, shared }]) => used - shared);
    const steps = windows.flatMap(([key, window], index) => {
      window.shared = window.used;
      return [key, untold[index]!, Math.max(1, window.endsAtMs - sentAtMs)];
    });
    try {
      const answers = await this.#options.counters.add(steps);
      const nowMs = Date.now();
      windows.forEach(([, window], index) => {
        window.others = Math.max(0, answers[2 * index]! - window.shared);
        window.endsAtMs = nowMs + answers[2 * index + 1]!;
      });
      this.#setBack();
      return answers;
    } catch (error) {
      windows.forEach(([, window], index) => (window.shared -= untold[index]!));
      this.#setAway(error);
      return null;
    }
  }

  #setAway(error: unknown): void {
    if (!this.#isAway)
      this.#options.logger.warn(
        { err: error },
        "shared rate limits unavailable, each gateway counts separately",
      );
    this.#isAway = true;
  }

  #setBack(): void {
    if (this.#isAway) this.#options.logger.info("rate limits shared again");
    this.#isAway = false;
  }
}
