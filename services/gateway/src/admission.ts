import { MAX_CALLS_IN_FLIGHT } from "./constants.ts";

/** How often delays are evaluated. */
export const ADMISSION_WINDOW_MS = 100;
/** How much slower than usual the median call can be before the limit shrinks; allows for a burst. */
const TARGET_DELAY_MS = 300;
/** Consecutive slow windows before the limit shrinks: a slow moment or a paused process is not overload. */
const SUSTAINED_WINDOWS = 5;
/** The lowest limit, enough to keep CPU and disk busy. */
export const MIN_CALLS_IN_FLIGHT = 128;
/** Factors by which the limit shrinks (at most, at least) and grows per window. */
const MAX_SHRINK = 0.5;
const MIN_SHRINK = 0.9;
const GROWTH = 1.1;
/** The share of the limit that users with many calls can use. */
const HEAVY_SHARE = 0.75;
/** The share reserved for users with few calls, and the same again for new connections. */
const RESERVED_SHARE = 0.25;
/** Users with more calls within one to two seconds are rejected first. A page makes about ten when it opens. */
export const LIGHT_CALLS = 15;
const COUNT_WINDOW_MS = 1000;
/** Maximum of counted users; others are treated as having few calls until the next window. */
const MAX_COUNTED = 20_000;
/** Samples per window for the median. */
const MAX_SAMPLES = 500;
/** The overload is over after this time without a rejection or delay. */
const RECOVERED_AFTER_MS = 2000;
/** Growth of the usual duration per window, to adapt to an action that has become slower permanently. */
const DRIFT = 1.001;

/** The usual duration of an action: the minimum seen, increased slowly. */
export class UsualDuration {
  #ms = Number.POSITIVE_INFINITY;
  #changedAtMs = 0;

  /** @returns by how much a call exceeded the usual duration, in milliseconds */
  excess(tookMs: number, nowMs: number): number {
    if (nowMs - this.#changedAtMs >= ADMISSION_WINDOW_MS) {
      this.#ms *= DRIFT;
      this.#changedAtMs = nowMs;
    }
    this.#ms = Math.min(this.#ms, tookMs);
    return tookMs - this.#ms;
  }
}

/** A call of a user with few or with many calls, or a new connection. */
export type CallKind = "light" | "heavy" | "connection";

/**
 * An adaptive concurrency limit for this gateway, based on measured delay. While the median call of a window takes
 * TARGET_DELAY_MS longer than usual, or the event loop is that late, the limit shrinks; otherwise it grows while it is being
 * used. Calls beyond the limit are rejected immediately, those of users with many calls first, so that admitted calls stay fast.
 */
export class Admission {
  readonly #nowMs: () => number;
  readonly #onBusy: () => void;
  /** Ticks pause while there is nothing to count. */
  #isTicking = false;
  #limit = MAX_CALLS_IN_FLIGHT;
  #inFlight = 0;
  /** Calls that wait for a bot. They don't count towards the limit. */
  #outside = 0;
  #peak = 0;
  readonly #usualConnection = new UsualDuration();
  readonly #ofKind: Record<CallKind, number> = { light: 0, heavy: 0, connection: 0 };
  #samples: number[] = [];
  #delayMs = 0;
  #tickedAtMs: number;
  #slowWindows = 0;
  #overloadedSinceMs: number | null = null;
  #lastOverloadMs = Number.NEGATIVE_INFINITY;
  #countedSinceMs: number;
  #calls = new Map<string, number>();
  #callsBefore = new Map<string, number>();

  /**
   * @param onBusy called when ticks are needed again
   * @param nowMs a monotonic clock, in milliseconds
   */
  constructor(onBusy: () => void, nowMs: () => number = () => performance.now()) {
    this.#onBusy = onBusy;
    this.#nowMs = nowMs;
    this.#tickedAtMs = nowMs();
    this.#countedSinceMs = nowMs();
  }

  /** Calls and connections in progress. */
  get inFlight(): number {
    return this.#inFlight + this.#outside;
  }

  /** The current limit of calls in progress. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** How much slower than usual the median call of the last window was, in milliseconds. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** How long the overload has lasted, in milliseconds; 0 without overload. */
  get overloadedForMs(): number {
    return this.#overloadedSinceMs === null ? 0 : this.#nowMs() - this.#overloadedSinceMs;
  }

  /** Counts a call of this user. @returns its kind, for `begin`; null when it is rejected */
  admit(user: string): CallKind | null {
    this.#wake();
    const count = (this.#calls.get(user) ?? 0) + 1;
    if (count > 1 || this.#calls.size < MAX_COUNTED) this.#calls.set(user, count);
    const isLight = count + (this.#callsBefore.get(user) ?? 0) <= LIGHT_CALLS;
    if (isLight && this.#hasRoom("light")) return "light";
    if (this.#inFlight < this.#limit * HEAVY_SHARE) return "heavy";
    this.#recordOverload(this.#nowMs());
    return null;
  }

  /** Whether another connection is admitted. */
  admitsConnection(): boolean {
    const hasRoom = this.#hasRoom("connection");
    if (!hasRoom) this.#recordOverload(this.#nowMs());
    return hasRoom;
  }

  /**
   * @param usual null: it waits for something outside of this server, and doesn't count towards the limit
   * @returns a function to call when the work has ended, even if its caller no longer waits
   */
  begin(kind: CallKind, usual: UsualDuration | null): () => void {
    if (usual === null) {
      this.#outside += 1;
      return () => void (this.#outside -= 1);
    }
    this.#wake();
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

  /**
   * Must be called every ADMISSION_WINDOW_MS; lateness counts as delay.
   * @returns whether further ticks are needed
   */
  tick(): boolean {
    const nowMs = this.#nowMs();
    const lateMs = nowMs - this.#tickedAtMs - ADMISSION_WINDOW_MS;
    // No call has completed although many are in progress: they have waited for at least the whole window.
    const isStuck = this.#samples.length === 0 && this.#inFlight >= MIN_CALLS_IN_FLIGHT;
    this.#delayMs = isStuck
      ? this.#delayMs + nowMs - this.#tickedAtMs
      : Math.max(0, lateMs, median(this.#samples));
    this.#tickedAtMs = nowMs;
    this.#samples = [];
    this.#adapt(nowMs);
    this.#peak = this.#inFlight;
    if (nowMs - this.#lastOverloadMs > RECOVERED_AFTER_MS) this.#overloadedSinceMs = null;
    if (nowMs - this.#countedSinceMs >= COUNT_WINDOW_MS) {
      this.#countedSinceMs = nowMs;
      this.#callsBefore = this.#calls;
      this.#calls = new Map();
    }
    const isQuiet = this.#inFlight === 0 && this.#calls.size + this.#callsBefore.size === 0;
    this.#isTicking = !isQuiet || this.#slowWindows > 0 || this.#overloadedSinceMs !== null;
    if (!this.#isTicking) this.#delayMs = 0;
    return this.#isTicking;
  }

  #wake(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#tickedAtMs = this.#nowMs();
    this.#countedSinceMs = this.#tickedAtMs;
    this.#onBusy();
  }

  #adapt(nowMs: number): void {
    if (this.#delayMs <= TARGET_DELAY_MS) {
      this.#slowWindows = 0;
      if (this.#peak >= this.#limit * HEAVY_SHARE * MIN_SHRINK)
        this.#limit = Math.min(MAX_CALLS_IN_FLIGHT, this.#limit * GROWTH);
      return;
    }
    this.#slowWindows += 1;
    if (this.#slowWindows <= SUSTAINED_WINDOWS) return;
    this.#recordOverload(nowMs);
    const part = Math.min(MIN_SHRINK, Math.max(MAX_SHRINK, TARGET_DELAY_MS / this.#delayMs));
    this.#limit = Math.max(MIN_CALLS_IN_FLIGHT, Math.min(this.#limit, this.#peak) * part);
  }

  /** Each kind has its reserved share, even while more calls are in progress than a limit that has just shrunk. */
  #hasRoom(kind: "light" | "connection"): boolean {
    return this.#ofKind[kind] < this.#limit * RESERVED_SHARE;
  }

  #recordOverload(nowMs: number): void {
    this.#lastOverloadMs = nowMs;
    this.#overloadedSinceMs ??= nowMs;
  }
}

function median(samples: number[]): number {
  if (samples.length === 0) return 0;
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
}
