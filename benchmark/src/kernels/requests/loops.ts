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

/** Lane l makes the requests l, l + inFlight, l + 2 · inFlight, …: each when the one before is settled. */
class ClosedLoop implements Loop {
  readonly #loop: RequestLoop & { kind: "closed" };
  readonly #share: Share;
  readonly #make: Make;
  readonly #now: () => number;
  /** The next request of each idle lane, and its earliest time. */
  readonly #idle: { index: number; fromMs: number }[] = [];
  #unfinished = 0;

  constructor(loop: RequestLoop & { kind: "closed" }, share: Share, make: Make, now: () => number) {
    this.#loop = loop;
    this.#share = share;
    this.#make = make;
    this.#now = now;
    for (let lane = 0; lane < Math.min(loop.inFlight, loop.requests); lane++) {
      if (senderOf(lane, loop, share.senders) % share.workers !== share.worker) continue;
      this.#unfinished++;
      this.#idle.push({ index: lane, fromMs: 0 });
    }
  }

  get isOver(): boolean {
    return this.#unfinished === 0;
  }

  stop(): void {
    this.#unfinished = 0;
  }

  advance(nowMs: number): void {
    for (let i = this.#idle.length - 1; i >= 0; i--) {
      const { index, fromMs } = this.#idle[i]!;
      if (fromMs > nowMs) continue;
      this.#idle.splice(i, 1);
      this.#begin(index);
    }
  }

  #begin(index: number): void {
    const sender = senderOf(index, this.#loop, this.#share.senders);
    const isMade = this.#make(index, sender, this.#now(), (waitMs) => this.#next(index, waitMs));
    if (!isMade) this.#next(index, MISSED_WAIT_MS);
  }

  #next(index: number, waitMs: number): void {
    const next = index + this.#loop.inFlight;
    if (this.isOver) return;
    if (next >= this.#loop.requests) this.#unfinished--;
    else if (waitMs === 0) this.#begin(next);
    else this.#idle.push({ index: next, fromMs: this.#now() + waitMs });
  }
}

/** Request i is due at start + i / rate, and its latency counts from then even if it is made later. */
class OpenLoop implements Loop {
  readonly #loop: RequestLoop & { kind: "open" };
  readonly #share: Share;
  readonly #make: Make;
  readonly #startMs: number;
  #next = 0;
  #isStopped = false;

  constructor(loop: RequestLoop & { kind: "open" }, share: Share, make: Make, startMs: number) {
    this.#loop = loop;
    this.#share = share;
    this.#make = make;
    this.#startMs = startMs;
  }

  get isOver(): boolean {
    return this.#isStopped || this.#next >= this.#loop.requests;
  }

  stop(): void {
    this.#isStopped = true;
  }

  advance(nowMs: number): void {
    const { perSecond } = this.#loop;
    const { worker, workers, senders } = this.#share;
    for (; !this.isOver; this.#next++) {
      const dueMs = this.#startMs + (this.#next * 1000) / perSecond;
      if (dueMs > nowMs) return;
      const sender = this.#next % senders;
      if (sender % workers === worker) this.#make(this.#next, sender, dueMs);
    }
  }
}

export function createLoop(
  loop: RequestLoop,
  share: Share,
  make: Make,
  clock: { startMs: number; now: () => number },
): Loop {
  return loop.kind === "closed"
    ? new ClosedLoop(loop, share, make, clock.now)
    : new OpenLoop(loop, share, make, clock.startMs);
}
