/** The state of each request of a run, in shared memory, written by the thread that makes it. */
export interface LoadMemory {
  requests: number;
  /** Intended time, by `nowMs`. */
  intendedAt: Float64Array<SharedArrayBuffer>;
  /** See `RequestState`. */
  state: Uint8Array<SharedArrayBuffer>;
  /** Two numbers, see `Progressed`. */
  progress: Int32Array<SharedArrayBuffer>;
}

export const RequestState = {
  /** Not due yet. */
  none: 0,
  sent: 1,
  acknowledged: 2,
  refused: 3,
  /** No connection, or too many unanswered requests on it. */
  missed: 4,
  /** Timed out; a later answer is ignored. */
  unanswered: 5,
} as const;

export const Progressed = {
  /** Acknowledged, rejected, missed or timed out. */
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
