/** Where every thread writes what its receivers saw. All in shared memory: no result is ever sent around. */
export interface TallyMemory {
  receivers: number;
  messages: number;
  /** The instant (`nowMs`) that the stored times count from; before the first message. */
  epochMs: number;
  /**
   * Milliseconds since the epoch, message by message, receiver by receiver; 0: not received. Below 0: it came because the
   * receiver asked for what it had missed, so that the event itself may still come.
   */
  receivedAt: Float64Array<SharedArrayBuffer>;
  lastMessage: Int32Array<SharedArrayBuffer>;
  /** Per message: receivers that have it; extra copies; arrivals after a later message. */
  received: Int32Array<SharedArrayBuffer>;
  duplicates: Int32Array<SharedArrayBuffer>;
  outOfOrder: Int32Array<SharedArrayBuffer>;
  /** One number: messages of the measured channel that belong to no message of this run. */
  foreign: Int32Array<SharedArrayBuffer>;
}

/** Bytes of shared memory for a run of this size. */
export function tallyBytes(receivers: number, messages: number): number {
  return 8 * receivers * messages + 4 * (receivers + 3 * messages + 1);
}

export function allocateTally(receivers: number, messages: number, epochMs: number): TallyMemory {
  const int32 = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
  return {
    receivers,
    messages,
    epochMs,
    receivedAt: new Float64Array(new SharedArrayBuffer(8 * receivers * messages)),
    lastMessage: int32(receivers).fill(-1),
    received: int32(messages),
    duplicates: int32(messages),
    outOfOrder: int32(messages),
    foreign: int32(1),
  };
}

/** Counts arrivals exactly: who has which message, since when, twice, or after a later one. */
export class Tally {
  readonly memory: TallyMemory;

  constructor(memory: TallyMemory) {
    this.memory = memory;
  }

  /** Up to now, of all messages. */
  get deliveries(): number {
    let sum = 0;
    for (let i = 0; i < this.memory.messages; i++) sum += Atomics.load(this.memory.received, i);
    return sum;
  }

  /** @returns true when this arrival was the last one missing of the message. */
  record(receiver: number, message: number, atMs: number, by: "event" | "sync" = "event"): boolean {
    const { receivers, receivedAt, lastMessage, received, duplicates, outOfOrder, epochMs } = this.memory;
    if (message < 0 || message >= this.memory.messages) {
      Atomics.add(this.memory.foreign, 0, 1);
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

  isComplete(message: number): boolean {
    return Atomics.load(this.memory.received, message) === this.memory.receivers;
  }

  /** Milliseconds from `sentAtMs` to each arrival of the message, ascending; the lost ones are missing. */
  latencies(message: number, sentAtMs: number): Float64Array {
    const sent = sentAtMs - this.memory.epochMs;
    return Float64Array.from(
      this.#times(message).filter((time) => time !== 0),
      (time) => Math.abs(time) - sent,
    ).sort();
  }

  /** Milliseconds from `sentAtMs` until the last receiver had the message; null: somebody does not have it. */
  untilLast(message: number, sentAtMs: number): number | null {
    if (!this.isComplete(message)) return null;
    const last = this.#times(message).reduce((latest, time) => Math.max(latest, Math.abs(time)), 0);
    return last + this.memory.epochMs - sentAtMs;
  }

  /** How many arrivals of the message were brought by asking for it. */
  recovered(message: number): number {
    return this.#times(message).reduce((sum, time) => sum + (time < 0 ? 1 : 0), 0);
  }

  #times(message: number): Float64Array {
    const { receivers, receivedAt } = this.memory;
    return receivedAt.subarray(message * receivers, (message + 1) * receivers);
  }
}
