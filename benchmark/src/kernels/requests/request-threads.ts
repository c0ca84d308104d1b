import { Thread } from "../../receivers/thread.ts";
import { abortable, nowMs } from "../broadcast/clock.ts";
import { sum } from "../broadcast/percentiles.ts";
import type { ThreadLoad } from "../broadcast/resource-use.ts";
import type { Range, RequestMemory } from "./request-memory.ts";
import type { OperationSetups, RequestOrders } from "./request-worker.ts";

/**
 * Closed: a fixed number of requests in flight, the next one when one is answered. Open: at a fixed rate,
 * regardless of the responses.
 */
export type Pace = { kind: "closed"; inFlight: number } | { kind: "open"; perSecond: number };

/** The same for this many requests. */
export type RequestLoop = { requests: number } & (
  | { kind: "closed"; inFlight: number }
  | { kind: "open"; perSecond: number; durationMs: number }
);

/** A time of one loop, for example the warm-up. */
export interface Phase {
  loop: Pace;
  senders: number;
  /** It makes at most as many requests as fit in here. */
  memory: RequestMemory;
  /** The number of its first request in the memory. */
  first: number;
  isWarmUp: boolean;
  /** When an unanswered request times out. */
  timeoutMs: number;
  /** By `nowMs`: all threads start in the same instant. */
  startMs: number;
}

const DEFAULTS = { first: 0, isWarmUp: false, timeoutMs: Infinity };

/** What to run. `durationMs`: ends it after this time, without waiting for what is in flight. */
type PhaseOptions = Pick<Phase, "loop" | "senders" | "memory"> &
  Partial<typeof DEFAULTS> & { durationMs?: number | undefined };

/** The requests of a phase, and when it was. */
export interface Span extends Range {
  fromMs: number;
  toMs: number;
}

/** Startup data of a thread. */
export interface RequestThreadSetup {
  kind: keyof OperationSetups;
  setup: unknown;
  worker: number;
  workers: number;
  /** One number: how many errors have a number, in all threads. */
  codes: Int32Array<SharedArrayBuffer>;
}

/** The number of an error in the memory. */
export interface ErrorCode {
  code: number;
  error: string;
}

/** So that all threads know of the phase before it starts. */
const START_MS = 50;

/** The threads that make a run's requests. */
export class RequestThreads<Kind extends keyof OperationSetups = keyof OperationSetups> {
  readonly #threads: Thread<RequestOrders, ErrorCode>[];
  readonly #signal: AbortSignal;
  readonly #errors = new Map<number, string>();

  /** @param signal ends a phase early */
  constructor(kind: Kind, setup: OperationSetups[Kind], workers: number, signal: AbortSignal) {
    this.#signal = signal;
    const codes = new Int32Array(new SharedArrayBuffer(4));
    this.#threads = Array.from({ length: workers }, (_, worker) => {
      const data: RequestThreadSetup = { kind, setup, worker, workers, codes };
      return new Thread(new URL("./request-worker.ts", import.meta.url), data, ({ code, error }) =>
        this.#errors.set(code, error),
      );
    });
  }

  /**
   * Connects all senders.
   * @throws {ExitError} if one could not be connected
   */
  async prepare(): Promise<void> {
    await abortable(Promise.all(this.#threads.map((thread) => thread.ask("prepare"))), this.#signal);
  }

  /** Resolves when every request of the phase is settled, when its time is over, or on an abort signal. */
  async run({ durationMs, ...options }: PhaseOptions): Promise<Span> {
    const fromMs = nowMs() + START_MS;
    const phase: Phase = { ...DEFAULTS, ...options, startMs: fromMs };
    const { first } = phase;
    if (this.#signal.aborted) return { from: first, to: first, fromMs, toMs: fromMs };
    const stop = () => {
      for (const thread of this.#threads) thread.tell("stop");
    };
    const timer = durationMs === undefined ? undefined : setTimeout(stop, START_MS + durationMs);
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      const ends = await Promise.all(this.#threads.map((thread) => thread.ask("run", phase)));
      return { from: first, to: first + Math.max(...ends), fromMs, toMs: nowMs() };
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", stop);
    }
  }

  /** The error of a request; undefined: none. */
  errorOf({ code }: RequestMemory, index: number): string | undefined {
    return this.#errors.get(code[index]!);
  }

  /** How often each error occurred in a range, or in its requests with this state. */
  errors(memory: RequestMemory, { from, to }: Range, state?: number): Record<string, number> {
    const counts: Record<string, number> = {};
    for (let i = from; i < to; i++) {
      if (state !== undefined && memory.state[i] !== state) continue;
      const error = this.errorOf(memory, i);
      if (error !== undefined) counts[error] = (counts[error] ?? 0) + 1;
    }
    return counts;
  }

  /** The first tokens can expire during a run. @param tokens in the order of those in the setup */
  renew(tokens: readonly string[]): void {
    for (const thread of this.#threads) thread.tell("renew", tokens);
  }

  sampleLoads(): Promise<ThreadLoad[]> {
    return Promise.all(this.#threads.map((thread) => thread.ask("sample")));
  }

  /** Connections that the server has ended so far; NaN: unknown. */
  async dropped(): Promise<number> {
    return sum(await Promise.all(this.#threads.map(async (thread) => (await thread.ask("dropped")) ?? NaN)));
  }

  /** @returns errors without a request, by code */
  async close(): Promise<Record<string, number>> {
    const answers = await Promise.allSettled(this.#threads.map((thread) => thread.ask("close")));
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
    const sum: Record<string, number> = {};
    // A failed thread has reported its error already.
    for (const answer of answers)
      for (const [code, count] of Object.entries(answer.status === "fulfilled" ? answer.value : {}))
        sum[code] = (sum[code] ?? 0) + count;
    return sum;
  }
}
