import type { LoadLoop } from "./load-result.ts";
import type { Requests } from "./requests.ts";

/** Makes requests when advanced, and is over when there are none left. */
export interface Loop {
  advance(nowMs: number): void;
  readonly isOver: boolean;
}

/** How long a closed loop waits before it retries on a connection that accepts nothing. */
const MISSED_WAIT_MS = 100;

/** The requests of this thread: those whose lane belongs to one of its senders. */
export interface Share {
  worker: number;
  workers: number;
  senders: number;
}

/** Which sender makes a request. Lanes take turns, and share senders if there are fewer of them. */
export function senderOf(index: number, loop: LoadLoop, senders: number): number {
  return loop.kind === "closed" ? (index % loop.inFlight) % senders : index % senders;
}

/** How many requests its sender makes before it; approximate if several lanes share a sender. */
export function turnOf(index: number, loop: LoadLoop, senders: number): number {
  if (loop.kind === "open") return Math.floor(index / senders);
  const lane = index % loop.inFlight;
  return Math.floor(index / loop.inFlight) * Math.ceil(loop.inFlight / senders) + Math.floor(lane / senders);
}

function isMine(index: number, loop: LoadLoop, { worker, workers, senders }: Share): boolean {
  return senderOf(index, loop, senders) % workers === worker;
}

/** Lane l makes the requests l, l + inFlight, l + 2 · inFlight, …: each when the one before is settled. */
class ClosedLoop implements Loop {
  readonly #loop: LoadLoop & { kind: "closed" };
  readonly #requests: Pick<Requests, "make">;
  /** The next request of each idle lane, and its earliest time. */
  readonly #idle: { index: number; fromMs: number }[] = [];
  #unfinished = 0;
  readonly #now: () => number;

  constructor(
    loop: LoadLoop & { kind: "closed" },
    share: Share,
    requests: Pick<Requests, "make">,
    now: () => number,
  ) {
    this.#loop = loop;
    this.#requests = requests;
    this.#now = now;
    for (let lane = 0; lane < Math.min(loop.inFlight, loop.requests); lane++) {
      if (!isMine(lane, loop, share)) continue;
      this.#unfinished++;
      this.#idle.push({ index: lane, fromMs: 0 });
    }
  }

  get isOver(): boolean {
    return this.#unfinished === 0;
  }

  advance(nowMs: number): void {
    for (let i = this.#idle.length - 1; i >= 0; i--) {
      const { index, fromMs } = this.#idle[i]!;
      if (fromMs > nowMs) continue;
      this.#idle.splice(i, 1);
      this.#make(index);
    }
  }

  #make(index: number): void {
    const isMade = this.#requests.make(index, this.#now(), (waitMs) => this.#next(index, waitMs));
    if (!isMade) this.#next(index, MISSED_WAIT_MS);
  }

  #next(index: number, waitMs: number): void {
    const next = index + this.#loop.inFlight;
    if (next >= this.#loop.requests) this.#unfinished--;
    else if (waitMs === 0) this.#make(next);
    else this.#idle.push({ index: next, fromMs: this.#now() + waitMs });
  }
}

/** Request i is due at start + i / rate, and its latency counts from then even if it is made later. */
class OpenLoop implements Loop {
  readonly #loop: LoadLoop & { kind: "open" };
  readonly #share: Share;
  readonly #requests: Pick<Requests, "make">;
  readonly #startMs: number;
  #next = 0;

  constructor(
    loop: LoadLoop & { kind: "open" },
    share: Share,
    requests: Pick<Requests, "make">,
    startMs: number,
  ) {
    this.#loop = loop;
    this.#share = share;
    this.#requests = requests;
    this.#startMs = startMs;
  }

  get isOver(): boolean {
    return this.#next >= this.#loop.requests;
  }

  advance(nowMs: number): void {
    const { perSecond, requests } = this.#loop;
    for (; this.#next < requests; this.#next++) {
      const dueMs = this.#startMs + (this.#next * 1000) / perSecond;
      if (dueMs > nowMs) return;
      if (isMine(this.#next, this.#loop, this.#share)) this.#requests.make(this.#next, dueMs);
    }
  }
}

export function createLoop(
  loop: LoadLoop,
  share: Share,
  requests: Pick<Requests, "make">,
  clock: { startMs: number; now: () => number },
): Loop {
  return loop.kind === "closed"
    ? new ClosedLoop(loop, share, requests, clock.now)
    : new OpenLoop(loop, share, requests, clock.startMs);
}
