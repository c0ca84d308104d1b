import type { ArrivalReport } from "./receive-messages.ts";

/** What became of one request. */
export type OperationOutcome =
  | { ok: true }
  /** `isAnswer`: the server said so itself. `retryAfterMs`: how long a closed loop waits before the next one. */
  | { ok: false; code: string; isAnswer: boolean; retryAfterMs: number };

/** One kind of request, in a thread that makes them. A module with it exports `createOperation`. */
export interface Operation {
  /** Connects the senders of this thread. */
  prepare(): Promise<void>;
  /**
   * Makes a request. `done` is called once and never before this returns.
   * @param index its number in the run, or in the warm-up
   * @returns false: it cannot be made now, and `done` will not be called
   */
  begin(index: number, isWarmUp: boolean, done: (outcome: OperationOutcome) => void): boolean;
  /** Errors that belong to no request, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** What the connections of this thread have received; absent where they receive nothing. */
  report?(): ArrivalReport;
  close(): Promise<void>;
}

/** What the thread tells the operation. */
export interface OperationContext<Setup> {
  setup: Setup;
  /** Which of the `workers` threads this is. Sender s belongs to thread s % workers. */
  worker: number;
  workers: number;
}

export interface OperationModule<Setup> {
  createOperation(context: OperationContext<Setup>): Operation;
}
