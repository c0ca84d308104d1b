import { expect, test } from "vitest";
import { percentiles } from "../broadcast/percentiles.ts";
import { Requests, senderOf } from "./loops.ts";
import { NO_ANSWER, type RequestOutcome } from "./operation.ts";
import { ackTimes, allocateRequests, Counted, lateTimes, RequestState } from "./request-memory.ts";
import type { RequestLoop } from "./request-threads.ts";

const ALONE = { worker: 0, workers: 1, senders: 1 };
const open = (perSecond: number, requests: number): RequestLoop => ({
  kind: "open",
  perSecond,
  durationMs: (requests / perSecond) * 1000,
  requests,
});

/** A server that answers on command, and a manual clock. */
class Bed {
  nowMs = 0;
  readonly made: number[] = [];
  readonly errors: string[] = [];
  readonly memory;
  readonly loop;
  canSend = true;
  readonly #waiting = new Map<number, (outcome: RequestOutcome) => void>();

  constructor(loop: RequestLoop, { senders, ...share } = ALONE) {
    this.memory = allocateRequests(loop.requests);
    this.loop = new Requests(
      { loop, senders, memory: this.memory, first: 0, isWarmUp: false, timeoutMs: 60_000, startMs: 0 },
      {
        ...share,
        operation: {
          begin: ({ index }, done) => {
            if (!this.canSend) return false;
            this.made.push(index);
            this.#waiting.set(index, done);
            return true;
          },
        },
        now: () => this.nowMs,
        codeOf: (error) => this.errors.push(error),
      },
    );
  }

  at(nowMs: number): this {
    this.nowMs = nowMs;
    this.loop.advance(nowMs);
    return this;
  }

  answer(index: number, outcome: RequestOutcome = { ok: true }): void {
    this.#waiting.get(index)!(outcome);
  }

  answerAll(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const done of waiting) done({ ok: true });
  }

  get latencies(): Float64Array {
    return ackTimes(this.memory);
  }

  count(state: number): number {
    return this.memory.state.filter((is) => is === state).length;
  }
}

test("open: a stalled server shows in the latency of all requests due meanwhile", () => {
  // 10 requests a second; from 1 s to 3 s the server answers nothing.
  const bed = new Bed(open(10, 40));
  for (let ms = 0; ms < 4000; ms += 10) {
    bed.at(ms);
    if (ms < 1000 || ms >= 3000) bed.answerAll();
  }
  expect(bed.loop.isOver).toBe(true);
  expect(bed.latencies.length).toBe(40);
  // 20 of them were due in these two seconds: the first waited for all of it, the tenth for half.
  const { p50, p75, p100 } = percentiles(bed.latencies)!;
  expect(p50).toBe(0);
  expect(p75).toBeCloseTo(1000, -2);
  expect(p100).toBe(2000);
});

test("open: latency counts from the intended sending even if the generator stalls, which is reported as late", () => {
  const bed = new Bed(open(100, 100));
  // It runs once, after all of them were due.
  bed.at(1000).answerAll();
  expect(bed.made.length).toBe(100);
  expect(percentiles(bed.latencies)!.p100).toBe(1000);
  expect(percentiles(lateTimes(bed.memory))!.p100).toBe(1000);
  expect([...bed.memory.intendedAt]).toEqual(Array.from({ length: 100 }, (_, i) => i * 10));
});

test("open: the rate is independent of the answers", () => {
  const bed = new Bed(open(1000, 500));
  for (let ms = 0; ms <= 250; ms++) bed.at(ms);
  expect(bed.made.length).toBe(251);
});

test("open: what can't be sent is missed, and has no latency", () => {
  const bed = new Bed(open(10, 10));
  bed.at(400).answerAll();
  bed.canSend = false;
  bed.at(700);
  bed.canSend = true;
  bed.at(900).answerAll();
  expect(bed.count(RequestState.missed)).toBe(3);
  expect(bed.count(RequestState.acknowledged)).toBe(7);
  expect(bed.latencies.length).toBe(7);
  expect(bed.memory.counts[Counted.settled]).toBe(10);
});

test("closed: never exceeds the concurrency, and sends the next when one is answered", () => {
  const bed = new Bed({ kind: "closed", inFlight: 3, requests: 8 }, { ...ALONE, senders: 3 }).at(0);
  expect(bed.made.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  bed.at(5).answer(1);
  expect(bed.made.at(-1)).toBe(4);
  bed.at(6).answer(4);
  expect(bed.made.at(-1)).toBe(7);
  bed.answer(7);
  expect(bed.loop.isOver).toBe(false);
  for (let i = 0; i < 3; i++) bed.answerAll();
  expect(bed.made.length).toBe(8);
  expect(bed.loop.isOver).toBe(true);
});

test("closed: waits as long as the server requests before the next", () => {
  const bed = new Bed({ kind: "closed", inFlight: 1, requests: 2 }).at(0);
  bed.answer(0, { ok: false, code: "OVERLOADED", isAnswer: true, retryAfterMs: 50 });
  expect(bed.at(49).made).toEqual([0]);
  expect(bed.at(50).made).toEqual([0, 1]);
  expect(bed.errors).toEqual(["OVERLOADED"]);
});

test("an unanswered request times out, and the run ends", () => {
  const bed = new Bed({ kind: "closed", inFlight: 2, requests: 2 }).at(0);
  bed.at(10).answer(1);
  bed.at(59_999);
  expect(bed.loop.isOver).toBe(false);
  bed.at(60_000);
  expect(bed.loop.isOver).toBe(true);
  expect(bed.errors).toEqual([NO_ANSWER]);
  expect(bed.count(RequestState.unanswered)).toBe(1);
  // Too late.
  bed.answer(0);
  expect(bed.latencies.length).toBe(1);
});

test.each([{ kind: "closed", inFlight: 7, requests: 100 } as const, open(1000, 100)])(
  "several threads make each request once, each for its own senders: $kind",
  (loop) => {
    const senders = 5;
    const beds = [0, 1, 2].map((worker) => new Bed(loop, { worker, workers: 3, senders }));
    for (const [worker, bed] of beds.entries()) {
      bed.at(1000);
      for (let i = 0; i < 100; i++) bed.answerAll();
      expect(bed.loop.isOver).toBe(true);
      expect(bed.made.every((index) => senderOf(index, loop, senders) % 3 === worker)).toBe(true);
    }
    expect(beds.flatMap(({ made }) => made).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
  },
);
