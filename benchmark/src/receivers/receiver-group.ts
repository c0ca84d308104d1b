import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../kernels/broadcast/clock.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver, Roaming } from "./receiver.ts";
import { float64, int32, type ArrivedBy } from "./tally.ts";

/** Attempts per connection, then it is given up; with roaming, one that was online once is never given up. */
const MAX_ATTEMPTS = 3;
const GOODBYE_MS = 5000;

export const Count = {
  /** Online for the first time. */
  online: 0,
  gaveUp: 1,
  /** Connections that ended while online. */
  dropped: 2,
  /** Times that the server requested a resync. */
  resyncs: 3,
  /** Receivers that lost their connection and have not yet reconnected and caught up. */
  away: 4,
} as const;

/** Shared by all threads, so that progress is visible without asking them. */
export type ConnectionMemory = ReturnType<typeof allocateConnections>;

export function allocateConnections(receivers: number) {
  return {
    /** See `Count`. */
    counts: int32(Object.keys(Count).length),
    /** Per receiver: milliseconds from the start of its first attempt until it was online. */
    onlineMs: float64(receivers),
    /** Per receiver: 1 if it was told to resync, or dropped. */
    disturbed: new Uint8Array(new SharedArrayBuffer(receivers)),
  };
}

/** Records arrivals. */
export interface Recorder {
  /** @returns true if this was the message's last missing arrival */
  record(receiver: number, message: number, atMs: number, by: ArrivedBy, rev: number): boolean;
}

export interface GroupOptions {
  open: OpenReceiver;
  tally: Recorder;
  connections: ConnectionMemory;
  /** Concurrent connection attempts. */
  window: number;
  timeoutMs: number;
  /** Called when this group saw the last missing arrival of a message. */
  onComplete: (message: number) => void;
  /** undefined: lost connections are not reopened. */
  roaming?: Pick<Roaming, "drain" | "waitMs" | "elsewhere">;
}

type ErrorCounts = Record<string, number>;

interface Attempt {
  assignment: Assignment;
  attempt: number;
  /** When the first attempt started; undefined: this is the first. */
  startedMs?: number;
}

interface Opening extends Required<Attempt> {
  timer: NodeJS.Timeout;
}

/** The receivers of one thread: connects them with limited concurrency, and records what they receive. */
export class ReceiverGroup implements ReceiverObserver {
  readonly #options: GroupOptions;
  readonly #receivers = new Map<number, Receiver>();
  readonly #opening = new Map<number, Opening>();
  readonly #queue: Attempt[] = [];
  /** The current assignment of receivers that can roam. */
  readonly #places = new Map<number, Assignment>();
  readonly #away = new Set<number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #errors: ErrorCounts = {};
  /** By the number of the receiver; empty: those of the assignments are still valid. */
  #renewed: readonly (string | null)[] = [];
  #isClosing = false;
  #whenConnected: (() => void) | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /** How often each error occurred, including failed attempts that were retried successfully. */
  get errors(): Readonly<ErrorCounts> {
    return this.#errors;
  }

  /** Resolves when all are online or given up. */
  async connect(assignments: readonly Assignment[]): Promise<void> {
    const connected = new Promise<void>((resolve) => (this.#whenConnected = resolve));
    // Taken from the end.
    this.#queue.push(...assignments.toReversed().map((assignment) => ({ assignment, attempt: 1 })));
    this.#fill();
    await connected;
  }

  /** @param credentials for connections from now on, by the number of the receiver */
  renew(credentials: readonly (string | null)[]): void {
    this.#renewed = credentials;
  }

  online(receiver: number): void {
    const opening = this.#finishOpening(receiver);
    if (!opening) return;
    this.#options.connections.onlineMs[receiver] = nowMs() - opening.startedMs;
    if (this.#options.roaming) this.#places.set(receiver, opening.assignment);
    if (this.#away.delete(receiver)) this.#count(Count.away, -1);
    else this.#count(Count.online);
    this.#fill();
  }

  messages(receiver: number, indexes: readonly number[], by: ArrivedBy, revs: readonly number[]): void {
    const atMs = nowMs();
    const { tally, onComplete } = this.#options;
    for (const [i, index] of indexes.entries()) {
      if (tally.record(receiver, index, atMs, by, revs[i] ?? 0)) onComplete(index);
    }
  }

  resync(receiver: number): void {
    this.#options.connections.disturbed[receiver] = 1;
    this.#count(Count.resyncs);
  }

  draining(receiver: number, withinMs: number): void {
    const { roaming } = this.#options;
    const place = this.#receivers.get(receiver);
    if (roaming) this.#later(roaming.drain(receiver, withinMs), () => place?.close());
  }

  ended(receiver: number, code: string): void {
    this.#receivers.delete(receiver);
    if (this.#isClosing) return;
    this.#errors[code] = (this.#errors[code] ?? 0) + 1;
    const opening = this.#finishOpening(receiver);
    if (!opening) this.#lost(receiver);
    else if (this.#away.has(receiver)) this.#reconnect(opening.assignment, opening.attempt);
    else if (opening.attempt < MAX_ATTEMPTS)
      this.#queue.unshift({ ...opening, attempt: opening.attempt + 1 });
    else this.#count(Count.gaveUp);
    this.#fill();
  }

  /** Closes every connection, and resets those that stay open for this long. */
  async close(goodbyeMs = GOODBYE_MS): Promise<void> {
    this.#isClosing = true;
    this.#queue.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const [receiver, opening] of this.#opening) {
      clearTimeout(opening.timer);
      this.#receivers.get(receiver)?.destroy();
      this.#receivers.delete(receiver);
    }
    for (const receiver of this.#receivers.values()) receiver.close();
    const deadline = nowMs() + goodbyeMs;
    while (this.#receivers.size > 0 && nowMs() < deadline) await sleep(20);
    for (const receiver of this.#receivers.values()) receiver.destroy();
    this.#receivers.clear();
    this.#whenConnected?.();
  }

  #lost(receiver: number): void {
    this.#count(Count.dropped);
    this.#options.connections.disturbed[receiver] = 1;
    const place = this.#places.get(receiver);
    if (place === undefined) return;
    this.#away.add(receiver);
    this.#count(Count.away);
    this.#reconnect(place, 0);
  }

  #reconnect(place: Assignment, failures: number): void {
    const roaming = this.#options.roaming!;
    const attempt = { assignment: roaming.elsewhere(place), attempt: failures + 1 };
    this.#later(roaming.waitMs(place.receiver, failures), () => {
      this.#queue.unshift(attempt);
      this.#fill();
    });
  }

  #later(waitMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, waitMs);
    this.#timers.add(timer);
  }

  #count(which: number, by = 1): void {
    Atomics.add(this.#options.connections.counts, which, by);
  }

  #fill(): void {
    while (this.#opening.size < this.#options.window) {
      const next = this.#queue.pop();
      if (!next) break;
      this.#open(next);
    }
    if (this.#opening.size === 0) this.#whenConnected?.();
  }

  #open({ assignment, attempt, startedMs = nowMs() }: Attempt): void {
    const { receiver } = assignment;
    const timer = setTimeout(() => {
      this.#receivers.get(receiver)?.destroy();
      this.ended(receiver, "CONNECT_TIMEOUT");
    }, this.#options.timeoutMs);
    this.#opening.set(receiver, { assignment, attempt, startedMs, timer });
    const credential = this.#renewed[receiver] ?? assignment.credential;
    this.#receivers.set(receiver, this.#options.open({ ...assignment, credential }, this));
  }

  #finishOpening(receiver: number): Opening | undefined {
    const opening = this.#opening.get(receiver);
    if (!opening) return undefined;
    clearTimeout(opening.timer);
    this.#opening.delete(receiver);
    return opening;
  }
}
