import { CORRUPTED } from "../../receivers/message-tag.ts";
import { LatencyHistogram } from "./latency-histogram.ts";

/** Connections of the channels, and the channel of each message. */
export interface DeliveryPlan {
  /** All receiving connections, numbered from 0. */
  receivers: number;
  /** Of each channel: its connections, ascending. */
  channels: readonly Int32Array[];
  messages: number;
  channelOf: (message: number) => number;
}

/** Which connection is to get which message, and has it: one bit per delivery. All in shared memory. */
export interface LoadTallyMemory {
  receivers: number;
  messages: number;
  channelOf: Int32Array<SharedArrayBuffer>;
  /** Index of a message within its channel. */
  numberInChannel: Int32Array<SharedArrayBuffer>;
  /** Where the connections of each channel start in `members`, and the end of the last. */
  firstMember: Int32Array<SharedArrayBuffer>;
  members: Int32Array<SharedArrayBuffer>;
  /** Where the bits of each channel start: message by message, connection by connection. */
  firstBit: Float64Array<SharedArrayBuffer>;
  bits: Int32Array<SharedArrayBuffer>;
  received: Int32Array<SharedArrayBuffer>;
  /** Parallel to `members`: the highest revision that the connection has seen in the channel. */
  highestRev: Int32Array<SharedArrayBuffer>;
  /** See `TallyCount`. */
  counts: Int32Array<SharedArrayBuffer>;
}

export const TallyCount = {
  received: 0,
  duplicates: 1,
  /** Messages of this run received by a connection outside their channel. */
  strays: 2,
  /** Deliveries after one with a higher revision in the same channel. */
  outOfOrder: 3,
  /** Deliveries with another text than was sent. */
  corrupted: 4,
} as const;

const BITS = 32;

export function allocateLoadTally({
  receivers,
  channels,
  messages,
  channelOf,
}: DeliveryPlan): LoadTallyMemory {
  const int32 = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
  const float64 = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length));
  const memory = {
    receivers,
    messages,
    channelOf: int32(messages),
    numberInChannel: int32(messages),
    firstMember: int32(channels.length + 1),
    members: int32(channels.reduce((sum, { length }) => sum + length, 0)),
    firstBit: float64(channels.length),
    received: int32(messages),
    highestRev: int32(channels.reduce((sum, { length }) => sum + length, 0)),
    counts: int32(Object.keys(TallyCount).length),
  };
  for (const [c, members] of channels.entries()) {
    memory.members.set(members, memory.firstMember[c]);
    memory.firstMember[c + 1] = memory.firstMember[c]! + members.length;
  }
  const perChannel = new Int32Array(channels.length);
  for (let i = 0; i < messages; i++) {
    const channel = channelOf(i);
    memory.channelOf[i] = channel;
    memory.numberInChannel[i] = perChannel[channel]!++;
  }
  let bits = 0;
  for (const [c, members] of channels.entries()) {
    memory.firstBit[c] = bits;
    bits += members.length * perChannel[c]!;
  }
  return { ...memory, bits: int32(Math.ceil(bits / BITS)) };
}

/** What one thread has received. */
export interface Arrivals {
  /** Of each delivery, from the intended sending. */
  deliveries: LatencyHistogram;
  /** Of each message that this thread completed. */
  lastDeliveries: LatencyHistogram;
  /** By `nowMs`; null: nothing arrived. */
  lastAtMs: number | null;
}

/** Counts which connection has which message, and when. Each thread has one, on the same memory. */
export class LoadTally {
  readonly memory: LoadTallyMemory;
  readonly arrivals: Arrivals = {
    deliveries: new LatencyHistogram(),
    lastDeliveries: new LatencyHistogram(),
    lastAtMs: null,
  };
  readonly #intendedAt: Float64Array;

  /** @param intendedAt per message, by `nowMs` */
  constructor(memory: LoadTallyMemory, intendedAt: Float64Array) {
    this.memory = memory;
    this.#intendedAt = intendedAt;
  }

  /**
   * @param rev the message's revision in its channel; 0: none
   * @returns false: no one needs to be notified
   */
  record(receiver: number, message: number, atMs: number, by: "event" | "sync" = "event", rev = 0): boolean {
    const { messages, channelOf, numberInChannel, firstMember, firstBit, bits, received, counts } =
      this.memory;
    const { highestRev } = this.memory;
    // Of the warm-up, or someone else's.
    if (message === CORRUPTED) Atomics.add(this.memory.counts, TallyCount.corrupted, 1);
    if (message < 0 || message >= messages) return false;
    const channel = channelOf[message]!;
    const position = this.#position(channel, receiver);
    if (position === -1) {
      Atomics.add(counts, TallyCount.strays, 1);
      return false;
    }
    const members = firstMember[channel + 1]! - firstMember[channel]!;
    const bit = firstBit[channel]! + numberInChannel[message]! * members + position;
    const mask = 1 << (bit % BITS);
    // Neighboring bits belong to connections of other threads.
    if ((Atomics.or(bits, Math.floor(bit / BITS), mask) & mask) !== 0) {
      Atomics.add(counts, TallyCount.duplicates, 1);
      return false;
    }
    Atomics.add(counts, TallyCount.received, 1);
    const place = firstMember[channel]! + position;
    if (rev > highestRev[place]!) highestRev[place] = rev;
    else if (rev > 0 && by === "event") Atomics.add(counts, TallyCount.outOfOrder, 1);
    const latencyMs = atMs - this.#intendedAt[message]!;
    this.arrivals.lastAtMs = atMs;
    this.arrivals.deliveries.record(latencyMs);
    if (Atomics.add(received, message, 1) + 1 === members) this.arrivals.lastDeliveries.record(latencyMs);
    return false;
  }

  /** How many connections are to get the message. */
  expected(message: number): number {
    const { channelOf, firstMember } = this.memory;
    const channel = channelOf[message]!;
    return firstMember[channel + 1]! - firstMember[channel]!;
  }

  received(message: number): number {
    return Atomics.load(this.memory.received, message);
  }

  /** A connection's position in a channel; -1: not in it. */
  #position(channel: number, receiver: number): number {
    const { members, firstMember } = this.memory;
    const first = firstMember[channel]!;
    let low = first;
    let high = firstMember[channel + 1]! - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = members[middle]!;
      if (found === receiver) return middle - first;
      if (found < receiver) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
