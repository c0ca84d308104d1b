import { NO_ANSWER, type Operation, type RequestOutcome } from "./operation.ts";
import { Counted, RequestState } from "./request-memory.ts";
import type { Pace, Phase } from "./request-threads.ts";

/** How long a closed loop waits before it retries on a connection that accepts nothing. */
const MISSED_WAIT_MS = 100;

/** Which sender makes a request. Lanes take turns, and share senders if there are fewer of them. */
export function senderOf(index: number, loop: Pace, senders: number): number {
  return loop.kind === "closed" ? (index % loop.inFlight) % senders : index % senders;
}

/** How many requests its sender makes before it; approximate if several lanes share a sender. */
export function turnOf(index: number, loop: Pace, senders: number): number {
  if (loop.kind === "open") return Math.floor(index / senders);
  const lane = index % loop.inFlight;
  return Math.floor(index / loop.inFlight) * Math.ceil(loop.inFlight / senders) + Math.floor(lane / senders);
}

/** The thread that makes its share of a phase's requests: those of the senders that belong to it. */
interface MakingThread {
  worker: number;
  workers: number;
  operation: Pick<Operation, "begin">;
  now: () => number;
  /** The number of an error in the memory. */
  codeOf: (error: string) => number;
}

/**
 * Makes the requests of one thread in one phase, and records the outcome of each. Requests have numbers from 0 in the phase.
 * In a closed loop, lane l makes the requests l, l + inFlight, l + 2 · inFlight, …: each when the one before is settled.
 */
export class Requests {
  /** The number of requests in the phase up to the last that was made. */
  end = 0;
  readonly #phase: Phase;
  readonly #thread: MakingThread;
  readonly #requests: number;
  /** When those without an outcome were sent, in this order. */
  readonly #waiting = new Map<number, number>();
  /** Of a closed loop: the next request of each idle lane, and its earliest time. */
  #idle: { number: number; fromMs: number }[] = [];
  /** Of an open loop: the next request. */
  #next = 0;
  #isStopped = false;

  constructor(phase: Phase, thread: MakingThread) {
    const { loop, memory, first, senders } = phase;
    this.#phase = phase;
    this.#thread = thread;
    this.#requests = memory.requests - first;
    if (loop.kind === "open") return;
    const lanes = Array.from({ length: Math.min(loop.inFlight, this.#requests) }, (_, lane) => lane);
    this.#idle = lanes
      .filter((lane) => senderOf(lane, loop, senders) % thread.workers === thread.worker)
      .map((number) => ({ number, fromMs: 0 }));
  }

  /** It was stopped, or each request has an outcome. */
  get isOver(): boolean {
    if (this.#isStopped) return true;
    const isMade = this.#phase.loop.kind === "open" ? this.#next >= this.#requests : this.#idle.length === 0;
    return isMade && this.#waiting.size === 0;
  }

  /** Makes no more requests. What is in flight can still be answered. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Makes the requests that are due, and times out others. */
  advance(nowMs: number): void {
    if (this.#phase.loop.kind === "open") this.#advanceOpen(this.#phase.loop.perSecond, nowMs);
    else if (this.#idle.length > 0) {
      const due = this.#idle.filter(({ fromMs }) => fromMs <= nowMs);
      this.#idle = this.#idle.filter(({ fromMs }) => fromMs > nowMs);
      for (const { number } of due) this.#make(number);
    }
    this.#expire(nowMs - this.#phase.timeoutMs);
  }

  /** Request i is due at start + i / rate, and its latency counts from then even if it is made later. */
  #advanceOpen(perSecond: number, nowMs: number): void {
    const { loop, startMs, senders } = this.#phase;
    const { worker, workers } = this.#thread;
    for (; this.#next < this.#requests; this.#next++) {
      const dueMs = startMs + (this.#next * 1000) / perSecond;
      if (dueMs > nowMs) return;
      if (senderOf(this.#next, loop, senders) % workers === worker) this.#make(this.#next, dueMs);
    }
  }

  #make(number: number, dueMs?: number): void {
    const { loop, senders, memory, first, isWarmUp } = this.#phase;
    const index = first + number;
    const sentMs = this.#thread.now();
    const intendedMs = dueMs ?? sentMs;
    this.end = Math.max(this.end, number + 1);
    memory.intendedAt[index] = intendedMs;
    memory.lateMs[index] = sentMs - intendedMs;
    memory.state[index] = RequestState.sent;
    Atomics.add(memory.counts, Counted.made, 1);
    const sender = senderOf(number, loop, senders);
    const isSent = this.#thread.operation.begin({ index, sender, isWarmUp, sentMs }, (outcome) =>
      this.#answered(index, outcome),
    );
    if (isSent) this.#waiting.set(index, sentMs);
    else this.#settle(index, RequestState.missed, MISSED_WAIT_MS);
  }

  /** Times out what was sent until then. */
  #expire(untilMs: number): void {
    for (const [index, sentMs] of this.#waiting) {
      if (sentMs > untilMs) return;
      this.#waiting.delete(index);
      this.#phase.memory.code[index] = this.#thread.codeOf(NO_ANSWER);
      this.#settle(index, RequestState.unanswered, 0);
    }
  }

  #answered(index: number, outcome: RequestOutcome): void {
    // Too late.
    if (!this.#waiting.delete(index)) return;
    const { memory } = this.#phase;
    memory.answeredAt[index] = this.#thread.now();
    if (outcome.ok) {
      Atomics.add(memory.counts, Counted.acknowledged, 1);
      return this.#settle(index, RequestState.acknowledged, 0);
    }
    memory.code[index] = this.#thread.codeOf(outcome.code);
    if (outcome.lacksRetryTime) Atomics.add(memory.counts, Counted.withoutRetryAfter, 1);
    const state = outcome.isAnswer ? RequestState.refused : RequestState.unanswered;
    this.#settle(index, state, outcome.retryAfterMs);
  }

  /** @param waitMs how long its lane of a closed loop waits before the next request */
  #settle(index: number, state: number, waitMs: number): void {
    const { loop, memory, first } = this.#phase;
    memory.state[index] = state;
    Atomics.add(memory.counts, Counted.settled, 1);
    if (loop.kind === "open" || this.#isStopped) return;
    const number = index - first + loop.inFlight;
    if (number >= this.#requests) return;
    if (waitMs === 0) this.#make(number);
    else this.#idle.push({ number, fromMs: this.#thread.now() + waitMs });
  }
}
