import { interleave, type MixSetup } from "./mix-operation.ts";
import { allocateRequests, RequestState } from "./request-memory.ts";
import { RequestThreads, type Pace, type Span } from "./request-threads.ts";

/** Upper bound of the rate, because memory is allocated beforehand. */
const MOST_PER_SECOND = 60_000;

/** Of a request that was due. */
interface Outcome {
  name: string;
  intendedAtMs: number;
  /** Why it failed: the server's code, "not sent", or "unanswered". undefined: it did not. */
  failure: string | undefined;
  /** If it did not fail. */
  tookMs: number;
}

/** The failure of a request that the server did not answer. */
export const UNANSWERED = ["unanswered", "not sent"];

export type MixPhase = ReturnType<ReturnType<typeof openMixThread>["phase"]>;

/** A thread that makes a mix of requests, in phases. */
export function openMixThread(setup: MixSetup, signal: AbortSignal) {
  const threads = new RequestThreads("mix", setup, 1, signal);
  const schedule = interleave(setup.calls);
  return {
    connect: () => threads.prepare(),
    sampleLoads: () => threads.sampleLoads(),
    /** A time of requests, which can still be answered after it. */
    phase(durationMs: number, pace: Pace) {
      const perSecond = pace.kind === "open" ? pace.perSecond : MOST_PER_SECOND;
      const memory = allocateRequests(Math.ceil((perSecond * durationMs) / 1000) + 1);
      /** undefined: interrupted. */
      let span: Span | undefined;
      return {
        names: setup.calls.map(({ name }) => name),
        memory,
        /** @throws {Error} if it is interrupted */
        async run(): Promise<Span> {
          span = await threads.runFor(durationMs, pace, { senders: setup.tokens.length, memory, first: 0 });
          return span;
        },
        *outcomes(): Generator<Outcome> {
          const { state, intendedAt, answeredAt, requests } = memory;
          for (let i = 0; i < (span?.to ?? requests); i++) {
            if (state[i] === RequestState.none) continue;
            const isSent = state[i] !== RequestState.missed;
            const failure = isSent ? (threads.errorOf(memory, i) ?? "unanswered") : "not sent";
            yield {
              name: schedule[i % schedule.length]!.name,
              intendedAtMs: intendedAt[i]!,
              failure: state[i] === RequestState.acknowledged ? undefined : failure,
              tookMs: answeredAt[i]! - intendedAt[i]!,
            };
          }
        },
      };
    },
    close: () => threads.close(),
  };
}
