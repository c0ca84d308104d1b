import type { LatencyHistogram } from "./latency-histogram.ts";
import { Progressed, RequestState, type LoadMemory } from "./load-memory.ts";
import type { Operation, OperationOutcome } from "./operation.ts";

/** The code of a request that timed out. */
export const NO_ANSWER = "NO_ANSWER";

export interface RequestsOptions {
  memory: LoadMemory;
  operation: Pick<Operation, "begin">;
  isWarmUp: boolean;
  timeoutMs: number;
  now: () => number;
  /** Of acknowledged requests, from the intended sending. */
  latencies: LatencyHistogram;
  /** From the intended to the actual sending. */
  lateness: LatencyHistogram;
}

/** Makes the requests of one thread, and records the outcome of each. */
export class Requests {
  readonly #options: RequestsOptions;
  /** In sending order. */
  readonly #waiting = new Map<number, { sentMs: number; settled: (waitMs: number) => void }>();
  readonly #errors: Record<string, number> = {};
  #lastAnswerMs: number | null = null;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  /** By code, of requests only. */
  get errors(): Readonly<Record<string, number>> {
    return this.#errors;
  }

  get lastAnswerMs(): number | null {
    return this.#lastAnswerMs;
  }

  /**
   * @param settled called when it is answered or times out, with how long the server wants to wait; not if it
   *   is missed
   * @returns false: missed
   */
  make(index: number, intendedMs: number, settled: (waitMs: number) => void = () => {}): boolean {
    const { memory, operation, isWarmUp, lateness, now } = this.#options;
    memory.intendedAt[index] = intendedMs;
    const sentMs = now();
    memory.state[index] = RequestState.sent;
    const isSent = operation.begin(index, isWarmUp, (outcome) => this.#answered(index, outcome));
    if (!isSent) {
      this.#settle(index, RequestState.missed);
      return false;
    }
    this.#waiting.set(index, { sentMs, settled });
    lateness.record(sentMs - intendedMs);
    return true;
  }

  /** Times out requests. */
  expire(): void {
    const oldest = this.#options.now() - this.#options.timeoutMs;
    for (const [index, { sentMs }] of this.#waiting) {
      if (sentMs > oldest) break;
      this.#finish(index, RequestState.unanswered, 0);
      this.#count(NO_ANSWER);
    }
  }

  #answered(index: number, outcome: OperationOutcome): void {
    const { memory, latencies, now } = this.#options;
    if (!this.#waiting.has(index)) return;
    const atMs = now();
    this.#lastAnswerMs = atMs;
    if (outcome.ok) {
      latencies.record(atMs - memory.intendedAt[index]!);
      Atomics.add(memory.progress, Progressed.acknowledged, 1);
      this.#finish(index, RequestState.acknowledged, 0);
    } else {
      this.#count(outcome.code);
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
    Atomics.add(this.#options.memory.progress, Progressed.settled, 1);
  }

  #count(code: string): void {
    this.#errors[code] = (this.#errors[code] ?? 0) + 1;
  }
}
