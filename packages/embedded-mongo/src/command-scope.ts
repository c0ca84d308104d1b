import { CommandError } from "./errors.ts";
import type { PlainObject } from "./values/types.ts";

/** Yielded by a long command so that other commands can run. */
export const PAUSE = null;

/** Items with pauses in between. */
export type Pausing<T> = Iterable<T | typeof PAUSE>;

/** A command, or a part of one, that can pause and returns a result. */
export type Task<T> = Generator<typeof PAUSE, T, void>;

/** Weight of the documents and entries read between two checks of the clock. */
const CHECK_EVERY = 64;

const NO_VARIABLES: PlainObject = {};

let endMs = Number.POSITIVE_INFINITY;
let sliceEndMs = Number.POSITIVE_INFINITY;
let untilCheck = CHECK_EVERY;
let slice = 0;
let variables = NO_VARIABLES;

/** The scope of a command, which persists across pauses. */
export class CommandScope {
  readonly #endMs: number;
  readonly #variables: PlainObject;

  /**
   * @param maxTimeMs `maxTimeMS`; 0: no limit
   * @param given `let`, evaluated
   */
  constructor(maxTimeMs = 0, given: PlainObject = NO_VARIABLES) {
    this.#endMs = maxTimeMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + maxTimeMs;
    this.#variables = given;
  }

  get isExpired(): boolean {
    return this.#endMs < Number.POSITIVE_INFINITY && performance.now() > this.#endMs;
  }

  /**
   * Runs one slice of the command. Slices run one at a time.
   * @throws CommandError MaxTimeMSExpired while reading a document or an index entry
   */
  run<T>(untilMs: number, run: () => T): T {
    endMs = this.#endMs;
    sliceEndMs = untilMs;
    slice++;
    variables = this.#variables;
    try {
      return run();
    } finally {
      endMs = Number.POSITIVE_INFINITY;
      sliceEndMs = Number.POSITIVE_INFINITY;
      variables = NO_VARIABLES;
    }
  }
}

const timeExpired = (): CommandError => new CommandError("MaxTimeMSExpired", "operation exceeded time limit");

/**
 * Call it for each document or index entry that is read or computed. Reads the clock only occasionally.
 * @param weight 1 for work of microseconds
 * @returns whether the command must yield `PAUSE`
 */
export function isPauseDue(weight = 1): boolean {
  untilCheck -= weight;
  if (untilCheck > 0) return false;
  untilCheck = CHECK_EVERY;
  const now = performance.now();
  if (now > endMs) throw timeExpired();
  return now > sliceEndMs;
}

/** The weight of writing a document with its index entries. */
export const CHANGE_WEIGHT = 8;

/** The weight of a document for `isPauseDue`. */
export const weightOf = (bytes: number): number => 1 + (bytes >>> 11);

/** Changes whenever other commands may have run in between. */
export const currentSlice = (): number => slice;

/** Runs a task without pauses, for callers outside of commands. */
export function runToEnd<T>(task: Task<T>): T {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

/** The variables (`$$name`) for expressions of the current command. */
export const commandVariables = (): PlainObject => variables;

/** A paused or new command. Each step runs it until it is done or its time slice is over. */
export class Operation<T> {
  readonly #task: Task<T>;
  readonly #scope: CommandScope;
  #interruption: unknown;

  constructor(task: Task<T>, scope = new CommandScope()) {
    this.#task = task;
    this.#scope = scope;
  }

  /**
   * @param untilMs when to pause, on the clock of `performance.now()`
   * @returns the result; undefined if it is paused
   * @throws what the command throws
   */
  step(untilMs: number): T | undefined {
    if (this.#scope.isExpired) this.#interruption ??= timeExpired();
    const { done, value } = this.#scope.run(untilMs, () =>
      this.#interruption === undefined ? this.#task.next() : this.#task.throw(this.#interruption),
    );
    return done ? value : undefined;
  }

  /** Throws an error inside the command at its next step. */
  interrupt(error: unknown): void {
    this.#interruption ??= error;
  }

  /** Cancels the command without a result. */
  end(): void {
    try {
      this.#scope.run(Number.POSITIVE_INFINITY, () => this.#task.return(undefined as T));
    } catch {
      // The disk is full. Remains of an index build are deleted at the next start.
    }
  }
}
