import type { ActionRateLimit } from "@fanfare/contract";
import type { ExactLimit, RateLimits } from "@fanfare/kernel";
import type { Caller } from "./calls.ts";
import { FULL_CHANNEL_TTL_MS, MAX_FULL_CHANNELS } from "./constants.ts";

/** Milliseconds to wait, or 0. A promise when counters are shared with other gateways. */
export type Wait = number | Promise<number>;

interface Limiter {
  take(subject: string, nowMs: number): Wait;
}

/** The rate limits of one action, as defined in the contract. */
export class ActionLimits {
  readonly #perCaller: Limiter;
  readonly #perAddress: Limiter | null;
  readonly #perValue: ExactLimit | null;
  readonly #perValueAndAddress: ExactLimit | null = null;
  readonly #perValueAndDevice: ExactLimit | null = null;
  /** Whether `giveBackValue` must be called after a success. */
  readonly countsOnlyFailures: boolean;
  readonly #param: string;

  constructor(
    name: string,
    { perAddress = false, perValueOf, exact = false, ...limit }: ActionRateLimit,
    limits: RateLimits,
  ) {
    const limiter = (what: string): Limiter => limits[exact ? "exact" : "quick"](`${name}/${what}`, limit);
    this.#perCaller = limiter("caller");
    this.#perAddress = perAddress ? limiter("address") : null;
    this.#perValue =
      perValueOf === undefined ? null : limits.exact(`${name}/${perValueOf.param}`, perValueOf);
    this.#param = perValueOf?.param ?? "";
    this.countsOnlyFailures = perValueOf?.onlyFailures === true;
    const { pointsPerAddress: points, exceptKnownDevices = false } = perValueOf ?? {};
    if (perValueOf !== undefined && points !== undefined) {
      const few = { ...perValueOf, points };
      this.#perValueAndAddress = limits.exact(`${name}/${perValueOf.param}+address`, few);
      if (exceptKnownDevices)
        this.#perValueAndDevice = limits.exact(`${name}/${perValueOf.param}+device`, few);
    }
  }

  /** @param userId null for callers that are not logged in */
  take(userId: string | null, address: string, nowMs: number): Wait {
    const ofAddress = this.#perAddress ?? (userId === null ? this.#perCaller : null);
    const waitMs = ofAddress === null ? 0 : ofAddress.take(address, nowMs);
    if (userId === null) return waitMs;
    const ofUser = (ms: number): Wait => (ms > 0 ? ms : this.#perCaller.take(userId, nowMs));
    return typeof waitMs === "number" ? ofUser(waitMs) : waitMs.then(ofUser);
  }

  takeValue(params: unknown, caller: Pick<Caller, "address" | "knownDevice">, nowMs: number): Wait {
    if (this.#perValue === null) return 0;
    let waitMs: Wait = 0;
    for (const [limit, subject] of this.#ofValue(params, caller)) {
      const ofLimit = (ms: number): Wait => (ms > 0 ? ms : limit.take(subject, nowMs));
      waitMs = typeof waitMs === "number" ? ofLimit(waitMs) : waitMs.then(ofLimit);
    }
    return waitMs;
  }

  /** Reverts `takeValue` for a call that succeeded. */
  giveBackValue(params: unknown, caller: Pick<Caller, "address" | "knownDevice">): void {
    for (const [limit, subject] of this.#ofValue(params, caller)) limit.giveBack(subject);
  }

  /** The limits that apply to a value, with the key for each, in order. */
  #ofValue(
    params: unknown,
    { address, knownDevice }: Pick<Caller, "address" | "knownDevice">,
  ): [ExactLimit, string][] {
    if (this.#perValue === null) return [];
    const value = String((params as Record<string, unknown>)[this.#param]).toLowerCase();
    const device = this.#perValueAndDevice === null ? null : (knownDevice?.(value) ?? null);
    if (device !== null) return [[this.#perValueAndDevice!, `${value} ${device}`]];
    const ofAll: [ExactLimit, string] = [this.#perValue, value];
    return this.#perValueAndAddress === null
      ? [ofAll]
      : [[this.#perValueAndAddress, `${value} ${address}`], ofAll];
  }
}

/**
 * Channels whose queue was full a moment ago. Their calls are rejected at the gateway, where that is much cheaper than in the
 * service. The time is shorter than a full queue takes to drain, so the services never run out of work because of it.
 */
export class FullChannels {
  readonly #until = new Map<string, number>();

  add(channelId: string, nowMs: number): void {
    if (this.#until.size >= MAX_FULL_CHANNELS) this.#until.clear();
    this.#until.set(channelId, nowMs + FULL_CHANNEL_TTL_MS);
  }

  has(channelId: string, nowMs: number): boolean {
    const untilMs = this.#until.get(channelId);
    if (untilMs === undefined) return false;
    if (untilMs > nowMs) return true;
    this.#until.delete(channelId);
    return false;
  }
}
