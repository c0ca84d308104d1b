import { Counted, RequestState, type RequestMemory } from "./request-memory.ts";

export interface Request {
  /** Its number in the run, or in the warm-up. */
  index: number;
  /** Who makes it: sender s belongs to thread s % workers. */
  sender: number;
  isWarmUp: boolean;
  /** By `nowMs`. */
  sentMs: number;
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

/** The code of a request that timed out. */
export const NO_ANSWER = "NO_ANSWER";

interface RequestsOptions {
  memory: RequestMemory;
  /** Number of the first request of the phase. */
  first: number;
  operation: Pick<Operation, "begin">;
  isWarmUp: boolean;
  timeoutMs: number;
  now: () => number;
  /** The number of an error in the memory. */
  codeOf: (error: string) => number;
}

/** Makes the requests of one thread in one phase, and records the outcome of each. */
export class Requests {
  readonly #options: RequestsOptions;
  /** In sending order. */
  readonly #waiting = new Map<number, { sentMs: number; settled: (waitMs: number) => void }>();
  #end = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  /** The number of requests in the phase up to the last that was made. */
  get end(): number {
    return this.#end;
  }

  /**
   * @param number in the phase
   * @param settled called when it is answered or times out, with how long the server wants to wait; not if it
   *   is missed
   * @returns false: missed
   */
  make(
    number: number,
    sender: number,
    intendedMs: number,
    settled: (waitMs: number) => void = () => {},
  ): boolean {
    const { memory, first, operation, isWarmUp, now } = this.#options;
    const index = first + number;
    this.#end = Math.max(this.#end, number + 1);
    memory.intendedAt[index] = intendedMs;
    const sentMs = now();
    memory.lateMs[index] = sentMs - intendedMs;
    memory.state[index] = RequestState.sent;
    Atomics.add(memory.counts, Counted.made, 1);
    const isSent = operation.begin({ index, sender, isWarmUp, sentMs }, (outcome) =>
      this.#answered(index, outcome),
    );
    if (isSent) this.#waiting.set(index, { sentMs, settled });
    else this.#settle(index, RequestState.missed);
    return isSent;
  }

  /** Times out requests. */
  expire(): void {
    const oldest = this.#options.now() - this.#options.timeoutMs;
    for (const [index, { sentMs }] of this.#waiting) {
      if (sentMs > oldest) break;
      this.#options.memory.code[index] = this.#options.codeOf(NO_ANSWER);
      this.#finish(index, RequestState.unanswered, 0);
    }
  }

  #answered(index: number, outcome: RequestOutcome): void {
    const { memory, now, codeOf } = this.#options;
    if (!this.#waiting.has(index)) return;
    memory.answeredAt[index] = now();
    if (outcome.ok) {
      Atomics.add(memory.counts, Counted.acknowledged, 1);
      this.#finish(index, RequestState.acknowledged, 0);
    } else {
      memory.code[index] = codeOf(outcome.code);
      if (outcome.lacksRetryTime) Atomics.add(memory.counts, Counted.withoutRetryAfter, 1);
      const state = outcome.isAnswer ? RequestState.refused : RequestState.unanswered;
      this.#finish(index, state, outcome.retryAfterMs);
    }
  }

  #finish(index: number, state: number, waitMs: number): void {
    const { settled } = this.#waiting.get(index)!;
    this.#waiting.delete(index);
    this.#settle(index, state);
    settled(waitMs);
  }

  #settle(index: number, state: number): void {
    this.#options.memory.state[index] = state;
    Atomics.add(this.#options.memory.counts, Counted.settled, 1);
  }
}
