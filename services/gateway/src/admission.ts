import { MAX_CALLS_IN_FLIGHT } from "./bounds.ts";

/** How often delays are judged. */
export const ADMISSION_WINDOW_MS = 100;
/** How much longer than usual the median call may take before the limit shrinks: enough for a burst. */
const TARGET_DELAY_MS = 300;
/** Slow windows in a row before the limit shrinks: one slow moment, or a paused process, is not overload. */
const SUSTAINED_WINDOWS = 5;
/** The lowest limit: enough to keep the processors and the disk busy. */
export const MIN_CALLS_IN_FLIGHT = 128;
/** Factors by which the limit shrinks (at most, at least) and grows in one window. */
const SHRINK = 0.5;
const SHRINK_AT_LEAST = 0.9;
const GROW = 1.1;
/** The part of the limit that users with many calls can fill. */
const HEAVY_PART = 0.75;
/** The part of the limit reserved for users with few calls, and again for new connections. */
const RESERVED_PART = 0.25;
/** Calls within one to two seconds; users with more are refused first. A page makes about ten when it opens. */
export const LIGHT_CALLS = 15;
const COUNT_MS = 1000;
/** Users that are counted; any others count as users with few calls until the next count. */
const MAX_COUNTED = 20_000;
/** Delays kept for the median of one window. */
const MAX_SAMPLES = 500;
/** Time without a refusal or delay after which the overload is over. */
const OVER_AFTER_MS = 2000;
/** The usual time grows by this in every window, to follow an action that has become slower for good. */
const FORGET = 1.001;

/** How long calls of one action usually take: the shortest time seen, forgotten slowly. */
export class Usual {
  #ms = Number.POSITIVE_INFINITY;
  #changedAtMs = 0;

  /** @returns how much longer than usual a call took, in milliseconds */
  excess(tookMs: number, nowMs: number): number {
    if (nowMs - this.#changedAtMs >= ADMISSION_WINDOW_MS) {
      this.#ms *= FORGET;
      this.#changedAtMs = nowMs;
    }
    this.#ms = Math.min(this.#ms, tookMs);
    return tookMs - this.#ms;
  }
}

/** A call of a user with few or with many calls, or a new connection. */
export type CallKind = "light" | "heavy" | "connection";

/**
 * Limits the calls under way in this gateway by measured delay: an adaptive concurrency limit. While the median call of a window
 * takes TARGET_DELAY_MS longer than usual, or the event loop is that late, the limit shrinks; otherwise it grows while it is
 * being used. Calls beyond the limit are refused at once, users with many calls first, so that accepted calls are answered in
 * time.
 */
export class Admission {
  readonly #nowMs: () => number;
  #limit = MAX_CALLS_IN_FLIGHT;
  #inFlight = 0;
  #peak = 0;
  readonly #usualConnection = new Usual();
  readonly #ofKind: Record<CallKind, number> = { light: 0, heavy: 0, connection: 0 };
  #samples: number[] = [];
  #delayMs = 0;
  #tickedAtMs: number;
  #slowWindows = 0;
  #overloadedSinceMs: number | null = null;
  #lastTroubleMs = Number.NEGATIVE_INFINITY;
  #countedSinceMs: number;
  #calls = new Map<string, number>();
  #callsBefore = new Map<string, number>();

  /** @param nowMs a clock that only goes forward, in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#tickedAtMs = nowMs();
    this.#countedSinceMs = nowMs();
  }

  /** Calls and connections under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many can be under way at once. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** How much longer than usual the median call of the last window took, in milliseconds. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** How long calls have been refused or slow, in milliseconds; 0: no overload. */
  get overloadedForMs(): number {
    return this.#overloadedSinceMs === null ? 0 : this.#nowMs() - this.#overloadedSinceMs;
  }

  /** Counts a call of this user. @returns its kind, for `begin`; null: refused */
  admit(user: string): CallKind | null {
    const count = (this.#calls.get(user) ?? 0) + 1;
    if (count > 1 || this.#calls.size < MAX_COUNTED) this.#calls.set(user, count);
    const isLight = count + (this.#callsBefore.get(user) ?? 0) <= LIGHT_CALLS;
    if (isLight && this.#hasRoom("light")) return "light";
    if (this.#inFlight < this.#limit * HEAVY_PART) return "heavy";
    this.#trouble(this.#nowMs());
    return null;
  }

  /** Whether one more connection is accepted. */
  admitsConnection(): boolean {
    const hasRoom = this.#hasRoom("connection");
    if (!hasRoom) this.#trouble(this.#nowMs());
    return hasRoom;
  }

  /** @returns a function to call when the work has ended, even if its caller no longer waits */
  begin(kind: CallKind, usual: Usual): () => void {
    const beganMs = this.#nowMs();
    this.#inFlight += 1;
    this.#ofKind[kind] += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    return () => {
      this.#inFlight -= 1;
      this.#ofKind[kind] -= 1;
      const nowMs = this.#nowMs();
      const excessMs = usual.excess(nowMs - beganMs, nowMs);
      if (this.#samples.length < MAX_SAMPLES) this.#samples.push(excessMs);
    };
  }

  /** As `begin`, for a connection. */
  beginConnection(): () => void {
    return this.begin("connection", this.#usualConnection);
  }

  /** To be called every ADMISSION_WINDOW_MS; a late call counts as delay. */
  tick(): void {
    const nowMs = this.#nowMs();
    const lateMs = nowMs - this.#tickedAtMs - ADMISSION_WINDOW_MS;
    // Nothing was answered although many calls are under way: they have waited for the whole window at least.
    const isStuck = this.#samples.length === 0 && this.#inFlight >= MIN_CALLS_IN_FLIGHT;
    this.#delayMs = isStuck
      ? this.#delayMs + nowMs - this.#tickedAtMs
      : Math.max(0, lateMs, median(this.#samples));
    this.#tickedAtMs = nowMs;
    this.#samples = [];
    this.#adapt(nowMs);
    this.#peak = this.#inFlight;
    if (nowMs - this.#lastTroubleMs > OVER_AFTER_MS) this.#overloadedSinceMs = null;
    if (nowMs - this.#countedSinceMs < COUNT_MS) return;
    this.#countedSinceMs = nowMs;
    this.#callsBefore = this.#calls;
    this.#calls = new Map();
  }

  #adapt(nowMs: number): void {
    if (this.#delayMs <= TARGET_DELAY_MS) {
      this.#slowWindows = 0;
      if (this.#peak >= this.#limit * HEAVY_PART * SHRINK_AT_LEAST)
        this.#limit = Math.min(MAX_CALLS_IN_FLIGHT, this.#limit * GROW);
      return;
    }
    this.#slowWindows += 1;
    if (this.#slowWindows <= SUSTAINED_WINDOWS) return;
    this.#trouble(nowMs);
    const part = Math.min(SHRINK_AT_LEAST, Math.max(SHRINK, TARGET_DELAY_MS / this.#delayMs));
    this.#limit = Math.max(MIN_CALLS_IN_FLIGHT, Math.min(this.#limit, this.#peak) * part);
  }

  /** Each kind has its own part, even while more calls are under way than a limit that has just shrunk. */
  #hasRoom(kind: "light" | "connection"): boolean {
    return this.#ofKind[kind] < this.#limit * RESERVED_PART;
  }

  #trouble(nowMs: number): void {
    this.#lastTroubleMs = nowMs;
    this.#overloadedSinceMs ??= nowMs;
  }
}

function median(samples: number[]): number {
  if (samples.length === 0) return 0;
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
}
