import type { ActionRateLimit } from "@fanfare/contract";
import type { ExactLimit, RateLimits } from "@fanfare/kernel";
import type { Caller } from "./calls.ts";
import {
  FULL_CHANNEL_TTL_MS,
  MAX_FULL_CHANNELS,
  MAX_HEAVY_READS_PER_ADDRESS,
  MAX_HEAVY_READS_PER_USER,
  MAX_WAITING_READS,
  MAX_WAITING_READS_PER_USER,
  READ_COST_PER_ADDRESS,
  READ_COST_PER_MS,
  READ_COST_PER_USER,
  READ_MAX_CHARGED_MS,
  READ_WAIT_MS,
} from "./constants.ts";

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

/** A counter per key; keys with 0 use no memory. */
class Tally {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
  }

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left <= 0) this.#counts.delete(key);
    else this.#counts.set(key, left);
  }
}

/** The user and address to charge. `userId` is null when the caller is not logged in. */
interface Reader {
  userId: string | null;
  address: string;
}

interface Waiting {
  reader: Reader;
  admit: (isAdmitted: boolean) => void;
}

/**
 * Limits the cost of reads, because their number says little when responses range up to a megabyte: how much a user and an
 * address can read per window, and how many of their heavy reads run concurrently.
 */
export class ReadLimits {
  readonly #ofUser: ReturnType<RateLimits["quick"]>;
  readonly #ofAddress: ReturnType<RateLimits["quick"]>;
  readonly #factor: number;
  readonly #users = new Tally();
  readonly #addresses = new Tally();
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();

  /** @param factor multiplies the concurrent reads when it is above 1 */
  constructor(limits: RateLimits, factor: number) {
    this.#ofUser = limits.quick("cost/user", READ_COST_PER_USER);
    this.#ofAddress = limits.quick("cost/address", READ_COST_PER_ADDRESS);
    this.#factor = Math.max(1, factor);
  }

  /** @returns milliseconds until budget is available again, or 0 */
  waitMs({ userId, address }: Reader, nowMs: number): number {
    return (
      this.#ofAddress.take(address, nowMs, 0) || (userId === null ? 0 : this.#ofUser.take(userId, nowMs, 0))
    );
  }

  /** Charges a response once its size is known. @param workMs the duration of a heavy read */
  charge({ userId, address }: Reader, answerBytes: number, workMs: number, nowMs: number): void {
    const ofWork = Math.min(workMs, READ_MAX_CHARGED_MS) * READ_COST_PER_MS;
    const ofAnswer = answerBytes / 1024;
    // Users of one address only share bytes: on a busy server, durations would soon lock out a whole office.
    this.#ofAddress.take(address, nowMs, Math.ceil(ofAnswer + (userId === null ? ofWork : 0)));
    if (userId !== null) this.#ofUser.take(userId, nowMs, Math.ceil(ofAnswer + ofWork));
  }

  /**
   * Waits for the reader's turn to run a heavy read. An admitted reader must call `leave`.
   * @returns false when too many are waiting, or the turn didn't come within `READ_WAIT_MS`
   */
  enter(reader: Reader): true | Promise<boolean> {
    if (this.#canRun(reader)) {
      this.#begin(reader);
      return true;
    }
    const ofSame = [...this.#waiting].filter((other) => subjectOf(other.reader) === subjectOf(reader)).length;
    if (this.#waiting.size >= MAX_WAITING_READS || ofSame >= MAX_WAITING_READS_PER_USER * this.#factor)
      return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => admit(false), READ_WAIT_MS);
      const admit = (isAdmitted: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        resolve(isAdmitted);
      };
      const waiting = { reader, admit };
      this.#waiting.add(waiting);
    });
  }

  /** Ends a read and starts the next waiting ones that can run: one of the user, one of the address, which can differ. */
  leave(reader: Reader): void {
    this.#users.remove(subjectOf(reader));
    this.#addresses.remove(reader.address);
    for (const { reader: next, admit } of this.#waiting) {
      if (!this.#canRun(next)) continue;
      this.#begin(next);
      admit(true);
    }
  }

  #canRun(reader: Reader): boolean {
    return (
      this.#users.of(subjectOf(reader)) < MAX_HEAVY_READS_PER_USER * this.#factor &&
      this.#addresses.of(reader.address) < MAX_HEAVY_READS_PER_ADDRESS * this.#factor
    );
  }

  #begin(reader: Reader): void {
    this.#users.add(subjectOf(reader));
    this.#addresses.add(reader.address);
  }
}

function subjectOf({ userId, address }: Reader): string {
  return userId ?? address;
}

/** Strings below this length are counted by characters: most are ids, times and names. */
const SHORT_CHARS = 64;

/** Estimates the size as JSON in UTF-8, in bytes, without encoding it twice. */
export function responseBytes(value: unknown): number {
  if (typeof value === "string")
    return 2 + (value.length < SHORT_CHARS ? value.length : Buffer.byteLength(value));
  if (typeof value !== "object" || value === null) return 5;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += 1 + responseBytes(item);
  else
    for (const key in value) bytes += key.length + 4 + responseBytes((value as Record<string, unknown>)[key]);
  return bytes;
}
