import { TallyCount, type DeliveryTally } from "../../receivers/delivery-tally.ts";
import { Count, type ConnectionMemory } from "../../receivers/receiver-group.ts";

export const RequestState = {
  /** Not due yet. */
  none: 0,
  sent: 1,
  acknowledged: 2,
  refused: 3,
  /** No connection, or too many unanswered requests on it. */
  missed: 4,
  /** Timed out, or its connection was lost; a later answer is ignored. */
  unanswered: 5,
} as const;

export const Counted = {
  /** Sent or missed. */
  made: 0,
  /** Those of them whose outcome is known. */
  settled: 1,
  acknowledged: 2,
  /** Retryable rejections without a retry time. */
  withoutRetryAfter: 3,
} as const;

/** Requests from one number up to, but not including, another. */
export interface Range {
  from: number;
  to: number;
}

/** The outcome of each request of a run, in shared memory, written by the thread that makes it. */
export type RequestMemory = ReturnType<typeof allocateRequests>;

export function allocateRequests(requests: number) {
  const shared = (bytesEach: number) => new SharedArrayBuffer(bytesEach * requests);
  return {
    requests,
    /** When each was due, by `nowMs`. */
    intendedAt: new Float64Array(shared(8)),
    /** When its outcome was known; 0: not yet. */
    answeredAt: new Float64Array(shared(8)),
    /** From the intended to the actual sending. */
    lateMs: new Float32Array(shared(4)),
    /** See `RequestState`. */
    state: new Uint8Array(shared(1)),
    /** Its error, see `RequestThreads.errors`; 0: none. */
    code: new Uint16Array(shared(2)),
    /** See `Counted`. */
    counts: new Int32Array(new SharedArrayBuffer(4 * Object.keys(Counted).length)),
  };
}

export function counted({ counts }: RequestMemory, which: number): number {
  return Atomics.load(counts, which);
}

/** After the phase, when no request can be made anymore: the others are missed. */
export function missOthers({ state }: RequestMemory): void {
  for (const [i, one] of state.entries()) if (one === RequestState.none) state[i] = RequestState.missed;
}

/** After an interruption: what was in flight is neither answered nor unanswered. */
export function forgetInFlight({ state }: RequestMemory): void {
  for (const [i, one] of state.entries()) if (one === RequestState.sent) state[i] = RequestState.none;
}

export function countRequests(memory: RequestMemory, range: Range = allOf(memory)) {
  const states = Array.from(Object.keys(RequestState), () => 0);
  for (let i = range.from; i < range.to; i++) states[memory.state[i]!]!++;
  const acknowledged = states[RequestState.acknowledged]!;
  /** Answered with an error. */
  const refused = states[RequestState.refused]!;
  /** Neither acknowledged nor rejected in time. */
  const unanswered = states[RequestState.unanswered]! + states[RequestState.sent]!;
  /** Due but not made. In an open loop this hides latencies. */
  const missed = states[RequestState.missed]!;
  const sent = acknowledged + refused + unanswered;
  /** `intended`: due in the measured time. */
  return { intended: sent + missed, sent, acknowledged, refused, unanswered, missed };
}

/** Milliseconds from the intended sending to the acknowledgement, ascending. */
export function ackTimes(memory: RequestMemory, range: Range = allOf(memory)): Float64Array {
  return ackTimesWithin(memory, { ...range, fromMs: 0, toMs: Infinity });
}

/** The same of what was acknowledged within a time, which may be only a part of that of the requests. */
export function ackTimesWithin(
  memory: RequestMemory,
  span: Range & { fromMs: number; toMs: number },
): Float64Array {
  const { intendedAt, answeredAt, state } = memory;
  return times(span, (i) => {
    const atMs = answeredAt[i]!;
    const isWithin = state[i] === RequestState.acknowledged && atMs >= span.fromMs && atMs < span.toMs;
    return isWithin ? atMs - intendedAt[i]! : undefined;
  });
}

/** Milliseconds from the intended to the actual sending, ascending. */
export function lateTimes(memory: RequestMemory, range: Range = allOf(memory)): Float64Array {
  const { lateMs, state } = memory;
  const isSent = (i: number) => state[i] !== RequestState.none && state[i] !== RequestState.missed;
  return times(range, (i) => (isSent(i) ? lateMs[i] : undefined));
}

/** The values of a range's requests, ascending. */
export function times(
  { from, to }: Range,
  timeOf: (index: number) => number | null | undefined,
): Float64Array {
  const values = new Float64Array(to - from);
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = timeOf(i);
    if (value !== undefined && value !== null) values[count++] = value;
  }
  return values.subarray(0, count).sort();
}

function allOf({ requests }: RequestMemory): Range {
  return { from: 0, to: requests };
}

interface CountSources {
  memory: RequestMemory;
  /** undefined: no receivers. */
  tally: DeliveryTally | undefined;
  connections: ConnectionMemory | undefined;
  /** Number of stored copies per message; undefined: not read back. */
  copies: Uint8Array | undefined;
  /** false: interrupted, so that missing deliveries may only be late. */
  isComplete: boolean;
}

/** What was expected and did not arrive; rejected messages are not expected. `messages`: did not reach everyone. */
export function countMissing({ memory, tally, isComplete }: Omit<CountSources, "connections" | "copies">) {
  const missing = { answers: 0, deliveries: 0, messages: 0 };
  for (let i = 0; i < memory.requests; i++) {
    const state = memory.state[i]!;
    if (state === RequestState.none || state === RequestState.refused) continue;
    if (state !== RequestState.acknowledged) missing.answers++;
    const deliveries = tally && isComplete ? tally.expected(i) - tally.received(i) : 0;
    missing.deliveries += deliveries;
    if (deliveries > 0) missing.messages++;
  }
  return missing;
}

/**
 * `expected` are deliveries of acknowledged messages: to each online connection of the channel, including the
 * sender's own. `dropped` connections don't fetch what they missed. null, undefined: unknown.
 */
export function countMessages({ memory, tally, connections, copies, isComplete }: CountSources) {
  let [stored, unstored, storedTwice, expected, received] = [0, 0, 0, 0, 0];
  for (let i = 0; i < memory.requests; i++) {
    const times = copies?.[i] ?? 0;
    stored += times;
    if (times > 1) storedTwice++;
    if (memory.state[i] !== RequestState.acknowledged) continue;
    if (times === 0) unstored++;
    if (!tally) continue;
    expected += tally.expected(i);
    received += tally.received(i);
  }
  const tallied = (which: number) => (tally ? Atomics.load(tally.memory.counts, which) : 0);
  const connected = (which: number) => connections && Atomics.load(connections.counts, which);
  return {
    ...countRequests(memory),
    ...(copies ? { stored, unstored, storedTwice } : { stored: null, unstored: null, storedTwice: null }),
    expected,
    received,
    lost: isComplete ? expected - received : 0,
    duplicates: tallied(TallyCount.duplicates),
    outOfOrder: tallied(TallyCount.outOfOrder),
    corrupted: tallied(TallyCount.corrupted),
    strays: tallied(TallyCount.strays),
    dropped: connected(Count.dropped),
    resyncs: connected(Count.resyncs),
  };
}
