/** The outcome of each message that was due, in shared memory, written by the sending thread. */
export interface OutcomeMemory {
  messages: number;
  /** Intended time of sending, by `nowMs`. */
  intendedAt: Float64Array<SharedArrayBuffer>;
  /** When it was answered; 0: not yet. */
  answeredAt: Float64Array<SharedArrayBuffer>;
  /** See `Outcome`. */
  outcome: Uint8Array<SharedArrayBuffer>;
  /** One number: messages so far, including those that could not be written. */
  count: Int32Array<SharedArrayBuffer>;
}

export const Outcome = {
  /** Not due yet. */
  none: 0,
  sent: 1,
  acknowledged: 2,
  refused: 3,
  /** The connection was full, or there was none. */
  notSent: 4,
} as const;

export function allocateOutcomes(messages: number): OutcomeMemory {
  return {
    messages,
    intendedAt: new Float64Array(new SharedArrayBuffer(8 * messages)),
    answeredAt: new Float64Array(new SharedArrayBuffer(8 * messages)),
    outcome: new Uint8Array(new SharedArrayBuffer(messages)),
    count: new Int32Array(new SharedArrayBuffer(4)),
  };
}

/** Messages from one index up to, but not including, another. */
export interface Range {
  from: number;
  to: number;
}

/**
 * Milliseconds from the intended sending to the answer, ascending, of the range's messages with this outcome.
 */
export function answerTimes(
  { intendedAt, answeredAt, outcome }: OutcomeMemory,
  { from, to }: Range,
  wanted: number,
): Float64Array {
  const times: number[] = [];
  for (let i = from; i < to; i++) if (outcome[i] === wanted) times.push(answeredAt[i]! - intendedAt[i]!);
  return Float64Array.from(times).sort();
}

export function countOutcomes({ outcome }: OutcomeMemory, { from, to }: Range, wanted: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (outcome[i] === wanted) count++;
  return count;
}
