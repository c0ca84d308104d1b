export interface Request {
  /** Its number in the run, or in the warm-up. */
  index: number;
  /** Who makes it: sender s belongs to thread s % workers. */
  sender: number;
  isWarmUp: boolean;
}

/** The outcome of a request. */
export type RequestOutcome =
  | { ok: true }
  | {
      ok: false;
      code: string;
      /** The server answered. */
      isAnswer: boolean;
      /** How long a closed loop waits before the next one. */
      retryAfterMs: number;
      /** The server says that a retry helps, but not when. */
      lacksRetryTime?: boolean;
    };

/** A kind of request, in a thread that makes them. Its module exports `createOperation`. */
export interface Operation {
  /** Connects the senders of this thread. */
  prepare(): Promise<void>;
  /**
   * Makes a request. `done` is called once, and never before this returns.
   * @returns false: it can't be made now, and `done` will not be called
   */
  begin(request: Request, done: (outcome: RequestOutcome) => void): boolean;
  /** true: no request can be made anymore. */
  readonly hasEnded?: boolean;
  /** Errors without a request, by code. */
  readonly errors: Readonly<Record<string, number>>;
  close(): void;
}

/** What the thread passes to the operation. */
export interface OperationContext<Setup> {
  setup: Setup;
  /** Index of this thread. */
  worker: number;
  workers: number;
}

export interface OperationModule<Setup> {
  createOperation(context: OperationContext<Setup>): Operation;
}
