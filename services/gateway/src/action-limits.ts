import type { ActionName, ActionRateLimit } from "@fanfare/contract";
import type { RateLimits } from "@fanfare/kernel";

/** Milliseconds to wait, 0 for none; a promise where other gateways are asked. */
export type Wait = number | Promise<number>;

interface Limiter {
  take(subject: string, nowMs: number): Wait;
}

/** What the contract's limit of one action counts. */
export class ActionLimits {
  readonly #perCaller: Limiter;
  readonly #perAddress: Limiter | null;
  readonly #perValue: Limiter | null;
  readonly #param: string;

  constructor(
    name: ActionName,
    { perAddress = false, perValueOf, exact = false, ...limit }: ActionRateLimit,
    limits: RateLimits,
  ) {
    const limiter = (what: string): Limiter => limits[exact ? "exact" : "quick"](`${name}/${what}`, limit);
    this.#perCaller = limiter("caller");
    this.#perAddress = perAddress ? limiter("address") : null;
    this.#perValue =
      perValueOf === undefined ? null : limits.exact(`${name}/${perValueOf.param}`, perValueOf);
    this.#param = perValueOf?.param ?? "";
  }

  /** @param userId null where nobody is logged in */
  take(userId: string | null, address: string, nowMs: number): Wait {
    const ofAddress = this.#perAddress ?? (userId === null ? this.#perCaller : null);
    const waitMs = ofAddress === null ? 0 : ofAddress.take(address, nowMs);
    if (userId === null) return waitMs;
    const ofUser = (ms: number): Wait => (ms > 0 ? ms : this.#perCaller.take(userId, nowMs));
    return typeof waitMs === "number" ? ofUser(waitMs) : waitMs.then(ofUser);
  }

  takeValue(params: unknown, nowMs: number): Wait {
    if (this.#perValue === null) return 0;
    return this.#perValue.take(String((params as Record<string, unknown>)[this.#param]).toLowerCase(), nowMs);
  }
}
