export interface Request {
  /** Its number in the run, or in the warm-up. */
  index: number;
  /** Who makes it: sender s belongs to thread s % workers. */
  sender: number;
  isWarmUp: boolean;
  /** By `nowMs`. */
  sentMs: number;
}

interface Failure {
  ok: false;
  code: string;
  /** The server answered. */
  isAnswer: boolean;
  /** How long a closed loop waits before the next request. */
  retryAfterMs: number;
  /** The server says that a retry helps, but not when. */
  lacksRetryTime?: boolean;
}

/** The outcome of a request. */
export type RequestOutcome = { ok: true } | Failure;
export type Done = (outcome: RequestOutcome) => void;

/** The code of a request that timed out. */
export const NO_ANSWER = "NO_ANSWER";
/** After a rejection without a retry time, or a lost connection. */
const RETRY_MS = 100;

/** By default, an answer without a retry time. */
export function failure(code: string, further: Partial<Failure> = {}): Failure {
  return { ok: false, code, isAnswer: true, retryAfterMs: RETRY_MS, ...further };
}

/** The error in the server's answer to a request by HTTP. */
export function errorIn(status: number, text: string): string {
  return /"type":"([A-Z_]+)"/.exec(text)?.[1] ?? `HTTP_${status}`;
}

/** A kind of request, in a thread that makes them. Its module exports `createOperation`. */
export interface Operation {
  /** Connects the senders of this thread. */
  prepare(): Promise<void>;
  /**
   * Makes a request. `done` is called once, and never before this returns.
   * @returns false: it can't be made now, and `done` will not be called
   */
  begin(request: Request, done: Done): boolean;
  /** @param tokens for requests from now on, in the order of those in the setup */
  renew?(tokens: readonly string[]): void;
  /** true: no request can be made anymore. */
  readonly hasEnded?: boolean;
  /** Connections that the server ended; undefined: those of the audience are counted. */
  readonly dropped?: number;
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
