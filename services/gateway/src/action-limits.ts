import type { ActionRateLimit } from "@fanfare/contract";
import { RateLimiter } from "./rate-limiter.ts";

/** What the contract's limit of one action counts. Each method answers as a RateLimiter does. */
export class ActionLimits {
  readonly #perCaller: RateLimiter;
  readonly #perAddress: RateLimiter | null;
  readonly #perValue: RateLimiter | null;
  readonly #param: string;

  constructor({ perAddress = false, perValueOf, ...limit }: ActionRateLimit, factor: number) {
    this.#perCaller = new RateLimiter(limit, factor);
    this.#perAddress = perAddress ? new RateLimiter(limit, factor) : null;
    this.#perValue = perValueOf === undefined ? null : new RateLimiter(perValueOf, factor);
    this.#param = perValueOf?.param ?? "";
  }

  /** @param userId null where nobody is logged in */
  take(userId: string | null, address: string, nowMs: number): number {
    const ofAddress = this.#perAddress ?? (userId === null ? this.#perCaller : null);
    const retryAfterMs = ofAddress === null ? 0 : ofAddress.take(address, nowMs);
    if (retryAfterMs > 0 || userId === null) return retryAfterMs;
    return this.#perCaller.take(userId, nowMs);
  }

  takeValue(params: unknown, nowMs: number): number {
    if (this.#perValue === null) return 0;
    return this.#perValue.take(String((params as Record<string, unknown>)[this.#param]).toLowerCase(), nowMs);
  }
}
