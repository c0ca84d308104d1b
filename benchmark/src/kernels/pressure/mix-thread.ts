import { interleave, type MixedCall, type MixSetup } from "../requests/mix-operation.ts";
import { allocateRequests, RequestState, type RequestMemory } from "../requests/request-memory.ts";
import { RequestThreads, type Pace, type Span } from "../requests/request-threads.ts";

/** For the hostile readers: some 5 MB of the longest texts. */
export const MESSAGES_PER_CHANNEL = 120;
const UPLOAD_BYTES = 10_000;

type Params = readonly Record<string, unknown>[];

const call = (weight: number, action: string, params: Params, name = action): MixedCall => {
  return { name, weight, kind: "call", action, params };
};

/** The most expensive requests a guest can make. */
export function hostileReads(groupId: string, channelIds: readonly string[]): MixedCall[] {
  const around = Math.ceil(MESSAGES_PER_CHANNEL / 2);
  const cursors = channelIds.map((channelId) => ({ channelId, afterRev: 0 }));
  const pages = channelIds.map((channelId) => ({ channelId, around, limit: 100 }));
  return [
    call(3, "channel.sync", [{ cursors }]),
    call(3, "message.list", pages),
    call(2, "message.search", [{ groupId, text: "lorem ipsum" }]),
    call(2, "no.such", [{}], "unknown action"),
  ];
}

export function mixture(channelIds: readonly string[]): MixedCall[] {
  const messages = channelIds.map((channelId) => ({ channelId, content: "hello ".repeat(15) }));
  const pages = channelIds.map((channelId) => ({ channelId, limit: 50 }));
  const file = { channelId: channelIds[0], name: "notes.txt", bytes: UPLOAD_BYTES };
  return [
    call(10, "message.send", messages),
    call(4, "message.list", pages),
    call(3, "user.me", [{}]),
    { name: "connect", weight: 2, kind: "connect" },
    { name: "file.upload", weight: 1, kind: "upload", params: [file] },
  ];
}

export function ofBystander(channelId: string): MixedCall[] {
  return [call(5, "user.me", [{}]), call(2, "message.send", [{ channelId, content: "hello" }])];
}

/** Upper bound of the rate, because memory is allocated beforehand. */
const MOST_PER_SECOND = 60_000;
/** A delay that users hardly notice. */
const SLOW_MS = 1000;

interface Part {
  memory: RequestMemory;
  /** undefined: interrupted. */
  span: Span | undefined;
}

export type MixThread = ReturnType<typeof openMixThread>;

/** A thread that makes a mix of requests, in phases. */
export function openMixThread(setup: MixSetup, signal: AbortSignal) {
  const threads = new RequestThreads("mix", setup, 1, signal);
  const schedule = interleave(setup.calls);
  /** undefined: it made no requests. */
  const parts: (Part | undefined)[] = [];

  function* made(phase: number): Generator<[number, RequestMemory]> {
    const part = parts[phase];
    if (part === undefined) return;
    const { memory, span } = part;
    const to = span?.to ?? memory.requests;
    for (let i = 0; i < to; i++) if (memory.state[i] !== RequestState.none) yield [i, memory];
  }

  return {
    connect: () => threads.prepare(),
    /**
     * The next phase, whose open requests can still be answered after it.
     * @throws {Error} if it is interrupted
     */
    async run(durationMs: number, pace: Pace | undefined): Promise<Span | undefined> {
      if (pace === undefined) {
        parts.push(undefined);
        return undefined;
      }
      const perSecond = pace.kind === "open" ? pace.perSecond : MOST_PER_SECOND;
      const requests = Math.ceil((perSecond * durationMs) / 1000) + 1;
      const part: Part = { memory: allocateRequests(requests), span: undefined };
      parts.push(part);
      const phase = { senders: setup.tokens.length, memory: part.memory, first: 0 };
      part.span = await threads.runFor(durationMs, pace, phase);
      return part.span;
    },
    get memories(): RequestMemory[] {
      return parts.flatMap((part) => part?.memory ?? []);
    },
    /** Adds the outcome of every request of a phase to the results, by name. */
    count(phase: number, results: Map<string, OperationResult>): void {
      for (const { name } of setup.calls) if (!results.has(name)) results.set(name, noRequests(name));
      for (const [index, memory] of made(phase)) {
        const { state, intendedAt, answeredAt } = memory;
        const result = results.get(schedule[index % schedule.length]!.name)!;
        const error = threads.errorOf(memory, index);
        result.intended++;
        if (state[index] === RequestState.acknowledged)
          result.okMs.push(answeredAt[index]! - intendedAt[index]!);
        else if (state[index] === RequestState.missed) result.notSent++;
        else if (error === undefined) result.unanswered++;
        else result.refusedByCode[error] = (result.refusedByCode[error] ?? 0) + 1;
      }
    },
    /** The intended time of the last request of a phase that failed or was slow; 0: none. */
    lastBadMs(phase: number): number {
      let lastMs = 0;
      for (const [index, { state, intendedAt, answeredAt }] of made(phase)) {
        const tookMs = answeredAt[index]! - intendedAt[index]!;
        const isGood = state[index] === RequestState.acknowledged && tookMs <= SLOW_MS;
        // What is unanswered is as bad as what failed.
        if (!isGood) lastMs = Math.max(lastMs, intendedAt[index]!);
      }
      return lastMs;
    },
    close: () => threads.close(),
  };
}

/** The outcome of one kind of request in one phase. */
export type OperationResult = ReturnType<typeof noRequests>;

function noRequests(name: string) {
  return {
    name,
    intended: 0,
    notSent: 0,
    unanswered: 0,
    refusedByCode: {} as Record<string, number>,
    /** Of successful requests, from the intended time. */
    okMs: [] as number[],
  };
}
