import type { RateLimits } from "@fanfare/kernel";
import {
  MAX_HEAVY_READS_PER_ADDRESS,
  MAX_HEAVY_READS_PER_USER,
  MAX_WAITING_READS,
  MAX_WAITING_READS_PER_USER,
  READ_COST_PER_ADDRESS,
  READ_COST_PER_MS,
  READ_COST_PER_USER,
  READ_MAX_CHARGED_MS,
  READ_WAIT_MS,
} from "./bounds.ts";

/** How many there are of each; what there is none of takes no memory. */
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

/** The user and address that are charged. `userId` is null for a caller who is not signed in. */
export interface Reader {
  userId: string | null;
  address: string;
}

interface Waiting {
  reader: Reader;
  admit: (isAdmitted: boolean) => void;
}

/**
 * Bounds what reads cost, because a hundred small answers and a hundred of a megabyte are not the same: how much one user and one
 * address can read in a window, and how many heavy reads of each run at once.
 */
export class ReadLimits {
  readonly #ofUser: ReturnType<RateLimits["quick"]>;
  readonly #ofAddress: ReturnType<RateLimits["quick"]>;
  readonly #factor: number;
  readonly #users = new Tally();
  readonly #addresses = new Tally();
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();

  /** @param factor multiplies the reads that run at once, where it is above 1 */
  constructor(limits: RateLimits, factor: number) {
    this.#ofUser = limits.quick("cost/user", READ_COST_PER_USER);
    this.#ofAddress = limits.quick("cost/address", READ_COST_PER_ADDRESS);
    this.#factor = Math.max(1, factor);
  }

  /** @returns milliseconds until the reader's budget is available again; 0 while some of it is left */
  waitMs({ userId, address }: Reader, nowMs: number): number {
    return (
      this.#ofAddress.take(address, nowMs, 0) || (userId === null ? 0 : this.#ofUser.take(userId, nowMs, 0))
    );
  }

  /** Charges an answer, once its size is known. @param workMs how long it took, for a heavy read */
  charge({ userId, address }: Reader, answerBytes: number, workMs: number, nowMs: number): void {
    const ofWork = Math.min(workMs, READ_MAX_CHARGED_MS) * READ_COST_PER_MS;
    const ofAnswer = answerBytes / 1024;
    // Users of one address share its bytes only: on a busy server the time of their reads would soon lock out a whole office.
    this.#ofAddress.take(address, nowMs, Math.ceil(ofAnswer + (userId === null ? ofWork : 0)));
    if (userId !== null) this.#ofUser.take(userId, nowMs, Math.ceil(ofAnswer + ofWork));
  }

  /**
   * Waits for the reader's turn to run a heavy read. An admitted reader must call `leave`.
   * @returns false where too many wait already, or the turn did not come within `READ_WAIT_MS`
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

  /** The read has ended: the next one that can run does. */
  leave(reader: Reader): void {
    this.#users.remove(subjectOf(reader));
    this.#addresses.remove(reader.address);
    for (const { reader: next, admit } of this.#waiting) {
      if (!this.#canRun(next)) continue;
      this.#begin(next);
      admit(true);
      return;
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

/** Strings below this length are counted by their characters: most are ids, times and names. */
const SHORT_CHARS = 64;

/** About the size of an answer as JSON in UTF-8, in bytes, without the cost of encoding it twice. */
export function answerBytes(value: unknown): number {
  if (typeof value === "string")
    return 2 + (value.length < SHORT_CHARS ? value.length : Buffer.byteLength(value));
  if (typeof value !== "object" || value === null) return 5;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += 1 + answerBytes(item);
  else
    for (const key in value) bytes += key.length + 4 + answerBytes((value as Record<string, unknown>)[key]);
  return bytes;
}
