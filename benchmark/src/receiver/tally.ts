/** Where every thread writes what its receivers saw. All in shared memory: no result is ever sent around. */
export interface TallyMemory {
  receivers: number;
  messages: number;
  /** The instant (`nowMs`) that the stored times count from; before the first message. */
  epochMs: number;
  /** Milliseconds since the epoch, message by message, receiver by receiver; 0: not received. */
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

  /** @returns true when this arrival was the last one missing of the message. */
  record(receiver: number, message: number, atMs: number): boolean {
    const { receivers, receivedAt, lastMessage, received, duplicates, outOfOrder, epochMs } = this.memory;
    if (message < 0 || message >= this.memory.messages) {
      Atomics.add(this.memory.foreign, 0, 1);
      return false;
    }
    const cell = message * receivers + receiver;
    if (receivedAt[cell] !== 0) {
      Atomics.add(duplicates, message, 1);
      return false;
    }
    receivedAt[cell] = atMs - epochMs;
    if (message < lastMessage[receiver]!) Atomics.add(outOfOrder, message, 1);
    else lastMessage[receiver] = message;
    return Atomics.add(received, message, 1) + 1 === receivers;
  }

  isComplete(message: number): boolean {
    return Atomics.load(this.memory.received, message) === this.memory.receivers;
  }

  /** Milliseconds from `sentAtMs` to each arrival of the message, ascending; the lost ones are missing. */
  latencies(message: number, sentAtMs: number): Float64Array {
    const { receivers, receivedAt, epochMs } = this.memory;
    const sent = sentAtMs - epochMs;
    const times = receivedAt.subarray(message * receivers, (message + 1) * receivers);
    return Float64Array.from(
      times.filter((time) => time !== 0),
      (time) => time - sent,
    ).sort();
  }
}
