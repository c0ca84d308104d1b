/**
 * For runs with too many messages to store a time for each arrival: one bit per arrival, and the time of the
 * last one. All in shared memory.
 */
export interface CompactTallyMemory {
  receivers: number;
  messages: number;
  epochMs: number;
  /** Receiver by receiver, so that each byte belongs to one thread. */
  bits: Uint8Array<SharedArrayBuffer>;
  /** Milliseconds since the epoch, per message. */
  lastAt: Float64Array<SharedArrayBuffer>;
  received: Int32Array<SharedArrayBuffer>;
  duplicates: Int32Array<SharedArrayBuffer>;
  foreign: Int32Array<SharedArrayBuffer>;
}

export function allocateCompactTally(
  receivers: number,
  messages: number,
  epochMs: number,
): CompactTallyMemory {
  const int32 = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
  return {
    receivers,
    messages,
    epochMs,
    bits: new Uint8Array(new SharedArrayBuffer(receivers * bytesPerReceiver(messages))),
    lastAt: new Float64Array(new SharedArrayBuffer(8 * messages)),
    received: int32(messages),
    duplicates: int32(messages),
    foreign: int32(1),
  };
}

function bytesPerReceiver(messages: number): number {
  return Math.ceil(messages / 8);
}

/** Counts which receiver has which message. */
export class CompactTally {
  readonly memory: CompactTallyMemory;

  constructor(memory: CompactTallyMemory) {
    this.memory = memory;
  }

  /** @returns true if this was the message's last missing arrival */
  record(receiver: number, message: number, atMs: number): boolean {
    const { receivers, messages, bits, lastAt, received, duplicates, foreign, epochMs } = this.memory;
    if (message < 0 || message >= messages) {
      Atomics.add(foreign, 0, 1);
      return false;
    }
    const byte = receiver * bytesPerReceiver(messages) + (message >> 3);
    const bit = 1 << (message & 7);
    if ((bits[byte]! & bit) !== 0) {
      Atomics.add(duplicates, message, 1);
      return false;
    }
    bits[byte]! |= bit;
    lastAt[message] = atMs - epochMs;
    return Atomics.add(received, message, 1) + 1 === receivers;
  }

  has(receiver: number, message: number): boolean {
    const { messages, bits } = this.memory;
    return (bits[receiver * bytesPerReceiver(messages) + (message >> 3)]! & (1 << (message & 7))) !== 0;
  }

  isComplete(message: number): boolean {
    return Atomics.load(this.memory.received, message) === this.memory.receivers;
  }
}
