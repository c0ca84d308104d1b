import type { ArrivalReport } from "./receive-messages.ts";

/** The outcome of a request. */
export type OperationOutcome =
  | { ok: true }
  /** `isAnswer`: the server answered. `retryAfterMs`: how long a closed loop waits before the next one. */
  | { ok: false; code: string; isAnswer: boolean; retryAfterMs: number };

/** A kind of request, in a thread that makes them. Its module exports `createOperation`. */
export interface Operation {
  /** Connects the senders of this thread. */
  prepare(): Promise<void>;
  /**
   * Makes a request. `done` is called once, and never before this returns.
   * @param index its number in the run, or in the warm-up
   * @returns false: it can't be made now, and `done` will not be called
   */
  begin(index: number, isWarmUp: boolean, done: (outcome: OperationOutcome) => void): boolean;
  /** Errors without a request, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** What this thread's connections have received; absent if they receive nothing. */
  report?(): ArrivalReport;
  close(): Promise<void>;
}

/** What the thread passes to the operation. */
export interface OperationContext<Setup> {
  setup: Setup;
  /** Index of this thread. Sender s belongs to thread s % workers. */
  worker: number;
  workers: number;
}

export interface OperationModule<Setup> {
  createOperation(context: OperationContext<Setup>): Operation;
}
