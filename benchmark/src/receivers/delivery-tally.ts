import { LatencyHistogram } from "../kernels/requests/latency-histogram.ts";
import { CORRUPTED } from "./message-tag.ts";
import { float64, int32, type ArrivedBy } from "./tally.ts";

/** Connections of the channels, and the channel of each message. */
export interface DeliveryPlan {
  /** All receiving connections, numbered from 0. */
  receivers: number;
  /** Of each channel: its connections, ascending. */
  channels: readonly Int32Array[];
  messages: number;
  /** Not called for a single channel. */
  channelOf: (message: number) => number;
  /** Intended time of sending of each message, by `nowMs`. */
  intendedAt: Float64Array<SharedArrayBuffer>;
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
/** Some 35 minutes. */
const LONGEST_US = 2 ** 31 - 1;

/** Which connection is to get which message, and has it: one bit per delivery. All in shared memory. */
export type DeliveryMemory = ReturnType<typeof allocateDeliveries>;

export function allocateDeliveries(plan: DeliveryPlan) {
  const { receivers, channels, messages, channelOf, intendedAt } = plan;
  const places = channels.reduce((sum, { length }) => sum + length, 0);
  const isSingle = channels.length === 1;
  const memory = {
    receivers,
    messages,
    intendedAt,
    /** Per message: its channel, and its index within that. Empty for a single channel. */
    channelOf: int32(isSingle ? 0 : messages),
    numberInChannel: int32(isSingle ? 0 : messages),
    /** Where the connections of each channel start in `members`, and the end of the last. */
    firstMember: int32(channels.length + 1),
    members: int32(places),
    /** Where the bits of each channel start: message by message, connection by connection. */
    firstBit: float64(channels.length),
    /** Per message: deliveries so far, and microseconds from the intended sending to the last one. */
    received: int32(messages),
    lastAfter: int32(messages),
    /** Parallel to `members`: the highest revision that the connection has seen in the channel. */
    highestRev: int32(places),
    /** See `TallyCount`. */
    counts: int32(Object.keys(TallyCount).length),
    /** Of each delivery, from the intended sending. */
    latencies: new LatencyHistogram().counts,
  };
  const perChannel = new Int32Array(channels.length);
  if (isSingle) perChannel[0] = messages;
  else
    for (let i = 0; i < messages; i++) {
      memory.channelOf[i] = channelOf(i);
      memory.numberInChannel[i] = perChannel[channelOf(i)]!++;
    }
  let bits = 0;
  for (const [c, members] of channels.entries()) {
    memory.members.set(members, memory.firstMember[c]);
    memory.firstMember[c + 1] = memory.firstMember[c]! + members.length;
    memory.firstBit[c] = bits;
    bits += members.length * perChannel[c]!;
  }
  return { ...memory, bits: int32(Math.ceil(bits / BITS)) };
}

/** Counts which connection has which message, and when. Each thread has one, on the same memory. */
export class DeliveryTally {
  readonly memory: DeliveryMemory;
  readonly #latencies: LatencyHistogram;

  constructor(memory: DeliveryMemory) {
    this.memory = memory;
    this.#latencies = new LatencyHistogram(memory.latencies);
  }

  /**
   * @param rev the message's revision in its channel; 0: none
   * @returns false: no one needs to be notified
   */
  record(receiver: number, message: number, atMs: number, by: ArrivedBy = "event", rev = 0): boolean {
    const { messages, bits, received, lastAfter, highestRev, counts, intendedAt } = this.memory;
    // Of the warm-up, or someone else's.
    if (message === CORRUPTED) Atomics.add(counts, TallyCount.corrupted, 1);
    if (message < 0 || message >= messages) return false;
    const place = this.#placeOf(receiver, message);
    if (place === -1) {
      Atomics.add(counts, TallyCount.strays, 1);
      return false;
    }
    const bit = this.#bitOf(place, message);
    const mask = 1 << (bit % BITS);
    // Neighboring bits belong to connections of other threads.
    if ((Atomics.or(bits, Math.floor(bit / BITS), mask) & mask) !== 0) {
      Atomics.add(counts, TallyCount.duplicates, 1);
      return false;
    }
    Atomics.add(counts, TallyCount.received, 1);
    if (rev > highestRev[place]!) highestRev[place] = rev;
    else if (rev > 0 && by === "event") Atomics.add(counts, TallyCount.outOfOrder, 1);
    const afterMs = atMs - intendedAt[message]!;
    raise(lastAfter, message, Math.min(LONGEST_US, Math.round(afterMs * 1000)));
    this.#latencies.record(afterMs);
    Atomics.add(received, message, 1);
    return false;
  }

  /** How many connections are to get the message. */
  expected(message: number): number {
    const { firstMember } = this.memory;
    const channel = this.#channelOf(message);
    return firstMember[channel + 1]! - firstMember[channel]!;
  }

  received(message: number): number {
    return Atomics.load(this.memory.received, message);
  }

  isComplete(message: number): boolean {
    return this.received(message) >= this.expected(message);
  }

  has(receiver: number, message: number): boolean {
    const place = this.#placeOf(receiver, message);
    if (place === -1) return false;
    const bit = this.#bitOf(place, message);
    return (this.memory.bits[Math.floor(bit / BITS)]! & (1 << (bit % BITS))) !== 0;
  }

  /** Milliseconds from the intended sending to the last delivery so far; null: there is none. */
  untilLast(message: number): number | null {
    return this.received(message) === 0 ? null : Atomics.load(this.memory.lastAfter, message) / 1000;
  }

  /** When the last delivery of all messages arrived, by `nowMs`; 0: there is none. */
  get lastAtMs(): number {
    const { messages, intendedAt } = this.memory;
    let lastMs = 0;
    for (let i = 0; i < messages; i++)
      lastMs = Math.max(lastMs, intendedAt[i]! + (this.untilLast(i) ?? -Infinity));
    return lastMs;
  }

  #channelOf(message: number): number {
    return this.memory.channelOf[message] ?? 0;
  }

  #bitOf(place: number, message: number): number {
    const { firstBit, firstMember, numberInChannel } = this.memory;
    const channel = this.#channelOf(message);
    const number = numberInChannel[message] ?? message;
    return firstBit[channel]! + number * this.expected(message) + place - firstMember[channel]!;
  }

  /** The connection's place in `members`, as a member of the message's channel; -1: it is none. */
  #placeOf(receiver: number, message: number): number {
    const { members, firstMember } = this.memory;
    const channel = this.#channelOf(message);
    let low = firstMember[channel]!;
    let high = firstMember[channel + 1]! - 1;
    // In most channels everyone is online.
    if (low + receiver <= high && members[low + receiver] === receiver) return low + receiver;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = members[middle]!;
      if (found === receiver) return middle;
      if (found < receiver) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** Sets the value to this one if it is lower. Other threads may do the same. */
function raise(values: Int32Array<SharedArrayBuffer>, index: number, to: number): void {
  let value = Atomics.load(values, index);
  while (value < to) {
    const seen = Atomics.compareExchange(values, index, value, to);
    if (seen === value) return;
    value = seen;
  }
}
