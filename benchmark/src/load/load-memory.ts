/** What became of each request of a run; in shared memory, written by the thread that makes it. */
export interface LoadMemory {
  requests: number;
  /** When it was meant to be made, by `nowMs`. */
  intendedAt: Float64Array<SharedArrayBuffer>;
  /** See `RequestState`. */
  state: Uint8Array<SharedArrayBuffer>;
  /** Two numbers, see `Progressed`. */
  progress: Int32Array<SharedArrayBuffer>;
}

export const RequestState = {
  /** Not meant to be made yet. */
  none: 0,
  sent: 1,
  acknowledged: 2,
  refused: 3,
  /** There was no connection, or it had too many unanswered. */
  missed: 4,
  /** Given up after waiting; an answer that comes later counts for nothing. */
  unanswered: 5,
} as const;

export const Progressed = {
  /** Acknowledged, refused, missed or given up. */
  settled: 0,
  acknowledged: 1,
} as const;

export function allocateLoad(requests: number): LoadMemory {
  return {
    requests,
    intendedAt: new Float64Array(new SharedArrayBuffer(8 * requests)),
    state: new Uint8Array(new SharedArrayBuffer(requests)),
    progress: new Int32Array(new SharedArrayBuffer(4 * Object.keys(Progressed).length)),
  };
}
