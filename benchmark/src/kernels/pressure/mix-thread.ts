import { percentiles } from "../broadcast/percentiles.ts";
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

/** A thread that makes a mix of requests, in phases. */
export class MixThread {
  readonly #threads: RequestThreads;
  readonly #senders: number;
  readonly #calls: readonly MixedCall[];
  readonly #schedule: readonly MixedCall[];
  /** undefined: it made no requests. */
  readonly #parts: (Part | undefined)[] = [];

  constructor(setup: MixSetup, signal: AbortSignal) {
    const module = new URL("../requests/mix-operation.ts", import.meta.url);
    this.#threads = new RequestThreads({ module, setup }, 1, signal);
    this.#senders = setup.tokens.length;
    this.#calls = setup.calls;
    this.#schedule = interleave(setup.calls);
  }

  connect(): Promise<void> {
    return this.#threads.prepare();
  }

  /**
   * The next phase, whose open requests can still be answered after it.
   * @throws {Error} if it is interrupted
   */
  async run(durationMs: number, pace: Pace | undefined): Promise<Span | undefined> {
    if (pace === undefined) {
      this.#parts.push(undefined);
      return undefined;
    }
    const perSecond = pace.kind === "open" ? pace.perSecond : MOST_PER_SECOND;
    const requests = Math.ceil((perSecond * durationMs) / 1000) + 1;
    const part: Part = { memory: allocateRequests(requests), span: undefined };
    this.#parts.push(part);
    const phase = { senders: this.#senders, memory: part.memory, first: 0 };
    part.span = await this.#threads.runFor(durationMs, pace, phase);
    return part.span;
  }

  get memories(): RequestMemory[] {
    return this.#parts.flatMap((part) => part?.memory ?? []);
  }

  /** Adds the outcome of every request of a phase to the results, by name. */
  count(phase: number, results: Map<string, OperationCount>): void {
    for (const { name } of this.#calls) if (!results.has(name)) results.set(name, new OperationCount(name));
    for (const [index, memory] of this.#made(phase)) {
      const { name } = this.#schedule[index % this.#schedule.length]!;
      results.get(name)!.add(memory, index, this.#threads.errorOf(memory, index));
    }
  }

  /** The intended time of the last request of a phase that failed or was slow; 0: none. */
  lastBadMs(phase: number): number {
    let lastMs = 0;
    for (const [index, { state, intendedAt, answeredAt }] of this.#made(phase)) {
      const tookMs = answeredAt[index]! - intendedAt[index]!;
      const isGood = state[index] === RequestState.acknowledged && tookMs <= SLOW_MS;
      // What is unanswered is as bad as what failed.
      if (!isGood) lastMs = Math.max(lastMs, intendedAt[index]!);
    }
    return lastMs;
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  *#made(phase: number): Generator<[number, RequestMemory]> {
    const part = this.#parts[phase];
    if (part === undefined) return;
    const { memory, span } = part;
    const to = span?.to ?? memory.requests;
    for (let i = 0; i < to; i++) if (memory.state[i] !== RequestState.none) yield [i, memory];
  }
}

/** The outcome of one kind of request in one phase. */
export type OperationResult = OperationCount["result"];

/** Counts the outcomes of one kind of request. */
export class OperationCount {
  readonly #name: string;
  readonly #refusedByCode: Record<string, number> = {};
  readonly #okMs: number[] = [];
  #intended = 0;
  #notSent = 0;
  #unanswered = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add({ state, intendedAt, answeredAt }: RequestMemory, index: number, error: string | undefined): void {
    this.#intended++;
    if (state[index] === RequestState.acknowledged) this.#okMs.push(answeredAt[index]! - intendedAt[index]!);
    else if (state[index] === RequestState.missed) this.#notSent++;
    else if (error === undefined) this.#unanswered++;
    else this.#refusedByCode[error] = (this.#refusedByCode[error] ?? 0) + 1;
  }

  get result() {
    return {
      name: this.#name,
      intended: this.#intended,
      ok: this.#okMs.length,
      notSent: this.#notSent,
      unanswered: this.#unanswered,
      refusedByCode: this.#refusedByCode,
      /** Of successful requests, from the intended time. */
      okMs: percentiles(Float64Array.from(this.#okMs).sort()),
    };
  }
}
