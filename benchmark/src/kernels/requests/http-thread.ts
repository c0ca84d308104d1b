import { sourceAddresses } from "../../receivers/audience.ts";
import { addressOf } from "../../receivers/source-addresses.ts";
import { watchTester } from "../broadcast/tester-watch.ts";
import { settled } from "./send-load.ts";
import type { HttpSetup } from "./http-operation.ts";
import {
  ackTimes,
  allocateRequests,
  Counted,
  counted,
  countRequests,
  RequestState,
} from "./request-memory.ts";
import { RequestThreads } from "./request-threads.ts";

interface HttpRun {
  /** Each has one request in flight. */
  connections: number;
  /** At most this many. */
  requests: number;
  /** undefined: until all requests are made. */
  durationMs?: number;
  timeoutMs: number;
  isWarmUp?: boolean;
}

export type HttpOutcome = Awaited<ReturnType<Awaited<ReturnType<typeof openHttpThread>>["run"]>>;

/** What is asked, on how many connections at most. */
type HttpCalls = Omit<HttpSetup, "address" | "localAddresses"> & { connections: number };

/** A thread with connections that are not open yet. */
export async function httpThreads({ connections, ...calls }: HttpCalls, signal: AbortSignal) {
  const address = await addressOf(calls.url);
  const localAddresses = sourceAddresses(address).take(connections);
  return new RequestThreads("http", { ...calls, address, localAddresses }, 1, signal);
}

/** Opens connections for closed loops like that of `ab -k`: the next request on each as soon as the last one is answered. */
export async function openHttpThread(calls: HttpCalls, signal: AbortSignal) {
  const threads = await httpThreads(calls, signal);
  let memory = allocateRequests(0);
  await threads.prepare();
  return {
    /** How many requests of the current run have an outcome. */
    get settled(): number {
      return counted(memory, Counted.settled);
    },
    /** On an abort signal, the outcome has everything up to then; with a duration, it throws. */
    async run({ connections, requests, durationMs, timeoutMs, isWarmUp = false }: HttpRun) {
      const run = allocateRequests(requests);
      // The progress of the measured requests must not begin with those of the warm-up.
      memory = isWarmUp ? allocateRequests(0) : run;
      const watch = await watchTester({ sending: () => threads.sampleLoads() });
      const span = await threads.run({
        loop: { kind: "closed", inFlight: connections },
        senders: connections,
        memory: run,
        durationMs,
        timeoutMs: durationMs === undefined ? timeoutMs : Infinity,
        isWarmUp,
      });
      if (durationMs !== undefined) signal.throwIfAborted();
      const tester = await watch.end();
      if (!signal.aborted) await settled(run, timeoutMs, signal).catch(() => {});
      // Answers that are still to come must not change one of the counts.
      const ended = { ...run, state: new Uint8Array(new SharedArrayBuffer(requests)) };
      ended.state.set(run.state);
      const answered = run.answeredAt.subarray(span.from, span.to);
      const lastMs = answered.reduce((last, at) => Math.max(last, at), span.fromMs);
      return {
        ...countRequests(ended, span),
        isAcknowledged: (index: number) => ended.state[index] === RequestState.acknowledged,
        /** Of each acknowledged request, ascending. */
        latenciesMs: ackTimes(ended, span),
        /** From the first request to the last response. */
        measuredMs: lastMs - span.fromMs,
        tester,
        /** By code: error responses, and requests without a response. */
        refusals: threads.errors(run, span, RequestState.refused),
        failures: threads.errors(run, span, RequestState.unanswered),
      };
    },
    /** @returns errors of connections without a request, by code */
    close: () => threads.close(),
  };
}
