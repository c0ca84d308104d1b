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
      return {
        names: setup.calls.map(({ name }) => name),
        memory,
        /** @throws {Error} if it is interrupted */
        async run(): Promise<Span> {
          const span = await threads.run({ loop: pace, senders: setup.tokens.length, memory, durationMs });
          signal.throwIfAborted();
          return span;
        },
        *outcomes(): Generator<Outcome> {
          const { intendedAt, answeredAt } = memory;
          for (const [i, state] of memory.state.entries()) {
            if (state === RequestState.none) continue;
            const reason = threads.errorOf(memory, i) ?? "unanswered";
            const failure = state === RequestState.missed ? "not sent" : reason;
            yield {
              name: schedule[i % schedule.length]!.name,
              intendedAtMs: intendedAt[i]!,
              failure: state === RequestState.acknowledged ? undefined : failure,
              tookMs: answeredAt[i]! - intendedAt[i]!,
            };
          }
        },
      };
    },
    close: () => threads.close(),
  };
}
