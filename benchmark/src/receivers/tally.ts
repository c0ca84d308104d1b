import { CORRUPTED } from "./message-tag.ts";

/** `sync`: the receiver fetched what it had missed. */
export type ArrivedBy = "event" | "sync";

/** In shared memory. */
export const int32 = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
export const float64 = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length));

/** Bytes of shared memory for a run of this size. */
export function tallyBytes(receivers: number, messages: number): number {
  return 8 * receivers * messages + 4 * (receivers + 3 * messages + 1);
}

/** Where every thread records its receivers' arrivals. All in shared memory, so no results are copied. */
export type TallyMemory = ReturnType<typeof allocateTally>;

/** @param epochMs the instant (`nowMs`) that stored times are relative to; before the first message */
export function allocateTally(receivers: number, messages: number, epochMs: number) {
  return {
    receivers,
    messages,
    epochMs,
    /**
     * Milliseconds since the epoch, message by message, receiver by receiver; 0: not received. Negative: fetched
     * by sync, so that the event itself may still arrive.
     */
    receivedAt: float64(receivers * messages),
    lastMessage: int32(receivers).fill(-1),
    /** Per message: receivers that have it; extra copies; arrivals after a later message. */
    received: int32(messages),
    duplicates: int32(messages),
    outOfOrder: int32(messages),
    /** One number: messages in the measured channel that are not of this run. */
    foreign: int32(1),
    /** One number: messages of this run with another text than was sent. */
    corrupted: int32(1),
  };
}

/** Besides `received`, which an audience knows all the time. */
const COUNTERS = ["duplicates", "outOfOrder", "foreign", "corrupted"] as const;

/** Counts arrivals exactly: which receiver has which message, since when, twice, or after a later one. */
export class Tally {
  readonly memory: TallyMemory;

  constructor(memory: TallyMemory) {
    this.memory = memory;
  }

  /** @returns true if this was the message's last missing arrival */
  record(receiver: number, message: number, atMs: number, by: ArrivedBy = "event"): boolean {
    const { receivers, receivedAt, lastMessage, received, duplicates, outOfOrder, epochMs } = this.memory;
    if (message < 0 || message >= this.memory.messages) {
      Atomics.add(message === CORRUPTED ? this.memory.corrupted : this.memory.foreign, 0, 1);
      return false;
    }
    const cell = message * receivers + receiver;
    const before = receivedAt[cell]!;
    if (before !== 0) {
      if (by === "event") {
        if (before > 0) Atomics.add(duplicates, message, 1);
        else receivedAt[cell] = -before;
      }
      return false;
    }
    receivedAt[cell] = by === "event" ? atMs - epochMs : epochMs - atMs;
    if (message > lastMessage[receiver]!) lastMessage[receiver] = message;
    else if (by === "event") Atomics.add(outOfOrder, message, 1);
    return Atomics.add(received, message, 1) + 1 === receivers;
  }

  /** Not shared, to be sent to another process. */
  copy() {
    const counters = COUNTERS.map((name) => this.memory[name].slice());
    return { receivers: this.memory.receivers, receivedAt: this.memory.receivedAt.slice(), counters };
  }

  /** Adds what another process recorded, of receivers that follow `first`. Both have the same epoch. */
  add({ receivers, receivedAt, counters }: ReturnType<Tally["copy"]>, first: number): void {
    for (let message = 0; message < this.memory.messages; message++) {
      const times = receivedAt.subarray(message * receivers, (message + 1) * receivers);
      this.memory.receivedAt.set(times, message * this.memory.receivers + first);
    }
    for (const [c, name] of COUNTERS.entries())
      for (const [i, count] of counters[c]!.entries()) this.memory[name][i]! += count;
  }

  isComplete(message: number): boolean {
    return Atomics.load(this.memory.received, message) === this.memory.receivers;
  }

  /** Milliseconds from `sentAtMs` to each arrival of the message, ascending, without lost ones. */
  latencies(message: number, sentAtMs: number): Float64Array {
    const sent = sentAtMs - this.memory.epochMs;
    return Float64Array.from(
      this.#times(message).filter((time) => time !== 0),
      (time) => Math.abs(time) - sent,
    ).sort();
  }

  /** Milliseconds from `sentAtMs` until the last receiver had the message; null: it did not reach everyone. */
  untilLast(message: number, sentAtMs: number): number | null {
    if (!this.isComplete(message)) return null;
    const last = this.#times(message).reduce((latest, time) => Math.max(latest, Math.abs(time)), 0);
    return last + this.memory.epochMs - sentAtMs;
  }

  /** How many arrivals of the message came by sync. */
  recovered(message: number): number {
    return this.#times(message).reduce((sum, time) => sum + (time < 0 ? 1 : 0), 0);
  }

  #times(message: number): Float64Array {
    const { receivers, receivedAt } = this.memory;
    return receivedAt.subarray(message * receivers, (message + 1) * receivers);
  }
}
