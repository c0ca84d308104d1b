import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../measure/clock.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";
import { Tally, type TallyMemory } from "./tally.ts";

/** A connection is tried so often, then given up. */
const MAX_ATTEMPTS = 3;
const GOODBYE_MS = 5000;

/** Shared by all threads, so that progress is seen without asking anyone. */
export interface ConnectionMemory {
  /** Online for the first time; given up; dropped while online; told to resync. */
  counts: Int32Array<SharedArrayBuffer>;
  /** Per receiver: milliseconds from the beginning of its last attempt until it was online. */
  onlineMs: Float64Array<SharedArrayBuffer>;
}

export const Count = { online: 0, gaveUp: 1, dropped: 2, resyncs: 3 } as const;

export function allocateConnections(receivers: number): ConnectionMemory {
  return {
    counts: new Int32Array(new SharedArrayBuffer(4 * 4)),
    onlineMs: new Float64Array(new SharedArrayBuffer(8 * receivers)),
  };
}

export interface GroupOptions {
  open: OpenReceiver;
  tally: TallyMemory;
  connections: ConnectionMemory;
  /** How many connections are being made at the same time. */
  window: number;
  timeoutMs: number;
  /** Called when this group saw the last missing arrival of a message. */
  onComplete: (message: number) => void;
}

type ErrorCounts = Record<string, number>;

interface Opening {
  assignment: Assignment;
  attempt: number;
  startedMs: number;
  timer: NodeJS.Timeout;
}

/** The receivers of one thread: connects them, a bounded number at a time, and writes down what they get. */
export class ReceiverGroup implements ReceiverObserver {
  readonly #options: GroupOptions;
  readonly #tally: Tally;
  readonly #receivers = new Map<number, Receiver>();
  readonly #opening = new Map<number, Opening>();
  readonly #queue: { assignment: Assignment; attempt: number }[] = [];
  readonly #errors: ErrorCounts = {};
  #isClosing = false;
  #whenConnected: (() => void) | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
    this.#tally = new Tally(options.tally);
  }

  /** How often each error came up, failed attempts that were repeated with success included. */
  get errors(): Readonly<ErrorCounts> {
    return this.#errors;
  }

  /** Resolves when each is online or given up. */
  async connect(assignments: readonly Assignment[]): Promise<void> {
    const connected = new Promise<void>((resolve) => (this.#whenConnected = resolve));
    // Taken from the end.
    this.#queue.push(...assignments.toReversed().map((assignment) => ({ assignment, attempt: 1 })));
    this.#fill();
    await connected;
  }

  online(receiver: number): void {
    const opening = this.#finishOpening(receiver);
    if (!opening) return;
    this.#options.connections.onlineMs[receiver] = nowMs() - opening.startedMs;
    Atomics.add(this.#options.connections.counts, Count.online, 1);
    this.#fill();
  }

  messages(receiver: number, indexes: readonly number[]): void {
    const atMs = nowMs();
    for (const index of indexes) {
      if (this.#tally.record(receiver, index, atMs)) this.#options.onComplete(index);
    }
  }

  resync(): void {
    Atomics.add(this.#options.connections.counts, Count.resyncs, 1);
  }

  ended(receiver: number, code: string): void {
    this.#receivers.delete(receiver);
    if (this.#isClosing) return;
    this.#errors[code] = (this.#errors[code] ?? 0) + 1;
    const opening = this.#finishOpening(receiver);
    if (!opening) {
      Atomics.add(this.#options.connections.counts, Count.dropped, 1);
    } else if (opening.attempt < MAX_ATTEMPTS) {
      this.#queue.unshift({ assignment: opening.assignment, attempt: opening.attempt + 1 });
    } else {
      Atomics.add(this.#options.connections.counts, Count.gaveUp, 1);
    }
    this.#fill();
  }

  /** Says goodbye on every connection, and cuts those that stay. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#queue.length = 0;
    for (const [receiver, opening] of this.#opening) {
      clearTimeout(opening.timer);
      this.#receivers.get(receiver)?.destroy();
      this.#receivers.delete(receiver);
    }
    for (const receiver of this.#receivers.values()) receiver.close();
    const deadline = nowMs() + GOODBYE_MS;
    while (this.#receivers.size > 0 && nowMs() < deadline) await sleep(20);
    for (const receiver of this.#receivers.values()) receiver.destroy();
    this.#receivers.clear();
    this.#whenConnected?.();
  }

  #fill(): void {
    while (this.#opening.size < this.#options.window) {
      const next = this.#queue.pop();
      if (!next) break;
      this.#open(next.assignment, next.attempt);
    }
    if (this.#opening.size === 0) this.#whenConnected?.();
  }

  #open(assignment: Assignment, attempt: number): void {
    const { receiver } = assignment;
    const timer = setTimeout(() => {
      this.#receivers.get(receiver)?.destroy();
      this.ended(receiver, "CONNECT_TIMEOUT");
    }, this.#options.timeoutMs);
    this.#opening.set(receiver, { assignment, attempt, startedMs: nowMs(), timer });
    this.#receivers.set(receiver, this.#options.open(assignment, this));
  }

  #finishOpening(receiver: number): Opening | undefined {
    const opening = this.#opening.get(receiver);
    if (!opening) return undefined;
    clearTimeout(opening.timer);
    this.#opening.delete(receiver);
    return opening;
  }
}
