import type { RequestLoop } from "./request-threads.ts";

/** Makes requests when advanced, and is over when there are none left or it was stopped. */
export interface Loop {
  advance(nowMs: number): void;
  /** Makes no more requests. */
  stop(): void;
  readonly isOver: boolean;
}

/** Makes a request. @returns false: it can't be made; `settled` is not called */
export type Make = (
  index: number,
  sender: number,
  intendedMs: number,
  settled?: (waitMs: number) => void,
) => boolean;

/** How long a closed loop waits before it retries on a connection that accepts nothing. */
const MISSED_WAIT_MS = 100;

/** The requests of this thread: those whose sender belongs to it. */
export interface Share {
  worker: number;
  workers: number;
  senders: number;
}

/** Which sender makes a request. Lanes take turns, and share senders if there are fewer of them. */
export function senderOf(index: number, loop: RequestLoop, senders: number): number {
  return loop.kind === "closed" ? (index % loop.inFlight) % senders : index % senders;
}

/** How many requests its sender makes before it; approximate if several lanes share a sender. */
export function turnOf(index: number, loop: RequestLoop, senders: number): number {
  if (loop.kind === "open") return Math.floor(index / senders);
  const lane = index % loop.inFlight;
  return Math.floor(index / loop.inFlight) * Math.ceil(loop.inFlight / senders) + Math.floor(lane / senders);
}

interface Clock {
  startMs: number;
  now: () => number;
}

export function createLoop(loop: RequestLoop, share: Share, make: Make, clock: Clock): Loop {
  return loop.kind === "closed"
    ? closedLoop(loop, share, make, clock.now)
    : openLoop(loop, share, make, clock.startMs);
}

/** Lane l makes the requests l, l + inFlight, l + 2 · inFlight, …: each when the one before is settled. */
function closedLoop(
  loop: RequestLoop & { kind: "closed" },
  { worker, workers, senders }: Share,
  make: Make,
  now: () => number,
): Loop {
  const lanes = Array.from({ length: Math.min(loop.inFlight, loop.requests) }, (_, lane) => lane);
  const own = lanes.filter((lane) => senderOf(lane, loop, senders) % workers === worker);
  /** The next request of each idle lane, and its earliest time. */
  const idle = own.map((index) => ({ index, fromMs: 0 }));
  let unfinished = own.length;

  function begin(index: number): void {
    const sender = senderOf(index, loop, senders);
    const isMade = make(index, sender, now(), (waitMs) => next(index, waitMs));
    if (!isMade) next(index, MISSED_WAIT_MS);
  }

  function next(index: number, waitMs: number): void {
    const following = index + loop.inFlight;
    if (unfinished === 0) return;
    if (following >= loop.requests) unfinished--;
    else if (waitMs === 0) begin(following);
    else idle.push({ index: following, fromMs: now() + waitMs });
  }

  return {
    get isOver() {
      return unfinished === 0;
    },
    stop() {
      unfinished = 0;
    },
    advance(nowMs) {
      for (let i = idle.length - 1; i >= 0; i--) {
        const { index, fromMs } = idle[i]!;
        if (fromMs > nowMs) continue;
        idle.splice(i, 1);
        begin(index);
      }
    },
  };
}

/** Request i is due at start + i / rate, and its latency counts from then even if it is made later. */
function openLoop(
  { requests, perSecond }: RequestLoop & { kind: "open" },
  { worker, workers, senders }: Share,
  make: Make,
  startMs: number,
): Loop {
  let next = 0;
  let isStopped = false;
  const isOver = () => isStopped || next >= requests;
  return {
    get isOver() {
      return isOver();
    },
    stop() {
      isStopped = true;
    },
    advance(nowMs) {
      for (; !isOver(); next++) {
        const dueMs = startMs + (next * 1000) / perSecond;
        if (dueMs > nowMs) return;
        const sender = next % senders;
        if (sender % workers === worker) make(next, sender, dueMs);
      }
    },
  };
}
