import { addressOf, sourceAddresses } from "../../receivers/audience.ts";
import { nowMs } from "../broadcast/clock.ts";
import { busiestThread } from "../broadcast/resource-use.ts";
import { settled } from "./send-load.ts";
import type { HttpSetup } from "./http-operation.ts";
import {
  ackTimes,
  allocateRequests,
  Counted,
  counted,
  countRequests,
  RequestState,
  type RequestMemory,
} from "./request-memory.ts";
import { RequestThreads } from "./request-threads.ts";

export interface HttpRun {
  /** Each has one request in flight. */
  connections: number;
  /** At most this many. */
  requests: number;
  /** undefined: until all requests are made. */
  durationMs?: number;
  timeoutMs: number;
  isWarmUp?: boolean;
}

export type HttpOutcome = Awaited<ReturnType<HttpThread["run"]>>;

/** Closed loops like that of `ab -k`: the next request on each connection as soon as the last one is answered. */
export class HttpThread {
  readonly #threads: RequestThreads;
  readonly #signal: AbortSignal;
  #memory: RequestMemory | undefined;

  private constructor(setup: HttpSetup, signal: AbortSignal) {
    const module = new URL("./http-operation.ts", import.meta.url);
    this.#threads = new RequestThreads({ module, setup }, 1, signal);
    this.#signal = signal;
  }

  /** Opens all connections. */
  static async open(
    { connections, ...setup }: Omit<HttpSetup, "address" | "localAddresses"> & { connections: number },
    signal: AbortSignal,
  ): Promise<HttpThread> {
    const address = await addressOf(setup.url);
    const localAddresses = sourceAddresses(address).take(connections);
    const thread = new HttpThread({ ...setup, address, localAddresses }, signal);
    await thread.#threads.prepare();
    return thread;
  }

  /** How many requests of the current run have an outcome. */
  get settled(): number {
    return this.#memory ? counted(this.#memory, Counted.settled) : 0;
  }

  /** On an abort signal, the outcome has everything up to then. */
  async run({ connections, requests, durationMs, timeoutMs, isWarmUp = false }: HttpRun) {
    const memory = allocateRequests(requests);
    this.#memory = memory;
    const pace = { kind: "closed", inFlight: connections } as const;
    const phase = { senders: connections, memory, first: 0 };
    const before = await this.#threads.sampleLoads();
    const span =
      durationMs === undefined
        ? await this.#threads.run({ ...phase, loop: { ...pace, requests }, timeoutMs, isWarmUp })
        : await this.#threads.runFor(durationMs, pace, phase);
    const { busy } = busiestThread(before, await this.#threads.sampleLoads());
    if (!this.#signal.aborted) await settled(memory, nowMs() + timeoutMs, this.#signal).catch(() => {});
    const answered = memory.answeredAt.subarray(span.from, span.to);
    const lastMs = answered.reduce((last, at) => Math.max(last, at), span.fromMs);
    return {
      ...countRequests(memory, span),
      /** Of each acknowledged request, ascending. */
      latenciesMs: ackTimes(memory, span),
      /** From the first request to the last response. */
      measuredMs: lastMs - span.fromMs,
      /** The thread's share of a core: close to 1, the tester was the bottleneck. */
      testerBusy: busy ?? 0,
      /** By code: error responses, and requests without a response. */
      refusals: this.#threads.errors(memory, span, RequestState.refused),
      failures: this.#threads.errors(memory, span, RequestState.unanswered),
    };
  }

  /** @returns errors of connections without a request, by code */
  close(): Promise<Record<string, number>> {
    return this.#threads.close();
  }
}
