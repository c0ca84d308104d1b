import { nowMs } from "../broadcast/clock.ts";
import { SourceAddresses } from "../../receivers/source-addresses.ts";
import { httpReadBuffer, LightHttp, type HttpAnswer, type HttpPlace } from "./light-http.ts";

/** `waitMs`: how long the connection waits, as the server requested. */
export interface HttpFault {
  code: string;
  waitMs: number;
}

export interface HttpLoopOptions {
  place: HttpPlace;
  /** Keep-alive connections, each with one request in flight. */
  concurrency: number;
  /** Ends after this many requests, or after this time. */
  requests: number;
  durationMs: number;
  timeoutMs: number;
  /**
   * The bytes of a request.
   * @param index counts from 0
   */
  request: (index: number) => Buffer;
  /** undefined: success. The bytes are only valid during the call. */
  faultOf: (answer: HttpAnswer) => HttpFault | undefined;
  signal: AbortSignal;
}

/** The outcome, during and after the run. */
export interface HttpLoopOutcome {
  /** Milliseconds of each successful request, in the order of the responses. */
  latenciesMs: Float64Array;
  sent: number;
  acknowledged: number;
  /** Answered with an error. */
  refused: number;
  /** Not answered in time, or the connection was lost. */
  unanswered: number;
  connectMs: number;
  /** From the first request to the last response. */
  measuredMs: number;
  /** By code: error responses. */
  refusals: Record<string, number>;
  /** By code: connection failures. */
  failures: Record<string, number>;
}

const TICK_MS = 250;
/** Consecutive attempts to reopen a connection. */
const MAX_RECONNECTS = 3;

interface Lane {
  http: LightHttp;
  isOpen: boolean;
  /** null: no request in flight. */
  askedMs: number | null;
  failures: number;
  address: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * A closed loop like that of `ab -k`: opens all connections, then sends the next request on each as soon as the
 * last one is answered. Latency counts from sending, which in a closed loop is the intended time.
 */
export class HttpLoop {
  readonly #options: HttpLoopOptions;
  readonly #buffer = httpReadBuffer();
  readonly #lanes: Lane[] = [];
  readonly #outcome: HttpLoopOutcome;
  #opened = 0;
  #isRunning = false;
  #startedMs = 0;
  #finished: () => void = () => {};
  #whenOpened: () => void = () => {};

  constructor(options: HttpLoopOptions) {
    this.#options = options;
    this.#outcome = {
      latenciesMs: new Float64Array(options.requests),
      sent: 0,
      acknowledged: 0,
      refused: 0,
      unanswered: 0,
      connectMs: 0,
      measuredMs: 0,
      refusals: {},
      failures: {},
    };
  }

  get settled(): number {
    const { acknowledged, refused, unanswered } = this.#outcome;
    return acknowledged + refused + unanswered;
  }

  async run(): Promise<HttpLoopOutcome> {
    const { signal } = this.#options;
    const begunMs = nowMs();
    await this.#open();
    this.#outcome.connectMs = nowMs() - begunMs;
    this.#startedMs = nowMs();
    this.#isRunning = true;
    const done = new Promise<void>((resolve) => (this.#finished = resolve));
    const timer = setInterval(() => this.#tick(), TICK_MS);
    const onAbort = () => this.#finished();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    for (const lane of this.#lanes) this.#ask(lane);
    this.#tick();
    await done;
    this.#isRunning = false;
    clearInterval(timer);
    signal.removeEventListener("abort", onAbort);
    for (const { http, timer } of this.#lanes) {
      clearTimeout(timer);
      http.destroy();
    }
    return {
      ...this.#outcome,
      latenciesMs: this.#outcome.latenciesMs.subarray(0, this.#outcome.acknowledged),
    };
  }

  async #open(): Promise<void> {
    const { place, concurrency, timeoutMs, signal } = this.#options;
    const addresses = new SourceAddresses(place.host).take(concurrency);
    const opened = new Promise<void>((resolve) => (this.#whenOpened = resolve));
    for (const address of addresses) {
      const lane: Lane = {
        http: undefined as never,
        isOpen: false,
        askedMs: null,
        failures: 0,
        address,
        timer: undefined,
      };
      this.#lanes.push(lane);
      this.#connect(lane);
    }
    const timer = setTimeout(() => this.#whenOpened(), timeoutMs);
    const onAbort = () => this.#whenOpened();
    signal.addEventListener("abort", onAbort, { once: true });
    await opened;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }

  #connect(lane: Lane): void {
    lane.http = new LightHttp(this.#options.place, lane.address, this.#buffer, {
      opened: () => {
        lane.isOpen = true;
        if (this.#isRunning) this.#ask(lane);
        else if (++this.#opened === this.#options.concurrency) this.#whenOpened();
      },
      answered: (answer) => this.#answered(lane, answer),
      ended: (code) => this.#ended(lane, code),
    });
  }

  get #isOver(): boolean {
    const { requests, durationMs } = this.#options;
    return this.#outcome.sent >= requests || nowMs() - this.#startedMs >= durationMs;
  }

  #ask(lane: Lane): void {
    if (!this.#isRunning || !lane.isOpen) return;
    if (this.#isOver) {
      if (this.settled === this.#outcome.sent) this.#finished();
      return;
    }
    const request = this.#options.request(this.#outcome.sent++);
    lane.askedMs = nowMs();
    lane.http.ask(request);
  }

  #answered(lane: Lane, answer: HttpAnswer): void {
    const outcome = this.#outcome;
    if (lane.askedMs === null || !this.#isRunning) return;
    const atMs = nowMs();
    const fault = this.#options.faultOf(answer);
    if (fault === undefined) {
      outcome.latenciesMs[outcome.acknowledged++] = atMs - lane.askedMs;
      lane.failures = 0;
    } else {
      outcome.refused++;
      count(outcome.refusals, fault.code);
    }
    outcome.measuredMs = atMs - this.#startedMs;
    lane.askedMs = null;
    if (fault && fault.waitMs > 0) lane.timer = setTimeout(() => this.#ask(lane), fault.waitMs);
    else this.#ask(lane);
  }

  #ended(lane: Lane, code: string): void {
    lane.isOpen = false;
    count(this.#outcome.failures, code);
    if (lane.askedMs !== null) {
      this.#outcome.unanswered++;
      lane.askedMs = null;
    }
    if (!this.#isRunning && this.#startedMs > 0) return;
    if (++lane.failures <= MAX_RECONNECTS) this.#connect(lane);
    else if (!this.#isRunning && ++this.#opened === this.#options.concurrency) this.#whenOpened();
    if (this.#isRunning && this.#isOver && this.settled === this.#outcome.sent) this.#finished();
  }

  /** Times out requests, and ends the run when nothing more can arrive. */
  #tick(): void {
    const oldestMs = nowMs() - this.#options.timeoutMs;
    for (const lane of this.#lanes) {
      if (lane.askedMs === null || lane.askedMs > oldestMs) continue;
      lane.http.destroy();
      this.#ended(lane, "NO_ANSWER");
    }
    const isHopeless = this.#lanes.every(
      ({ askedMs, failures }) => askedMs === null && failures > MAX_RECONNECTS,
    );
    if (isHopeless || (this.#isOver && this.settled === this.#outcome.sent)) this.#finished();
  }
}

function count(codes: Record<string, number>, code: string): void {
  codes[code] = (codes[code] ?? 0) + 1;
}
