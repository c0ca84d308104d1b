import { TallyCount, type DeliveryTally } from "../../receivers/delivery-tally.ts";
import { Count, type ConnectionMemory } from "../../receivers/receiver-group.ts";
import { countRequests, RequestState, type RequestMemory } from "./request-memory.ts";

export interface CountSources {
  memory: RequestMemory;
  /** undefined: no receivers. */
  tally: DeliveryTally | undefined;
  connections: ConnectionMemory | undefined;
  /** Number of stored copies per message; undefined: not read back. */
  copies: Uint8Array | undefined;
  /** false: interrupted, so that missing deliveries may only be late. */
  isComplete: boolean;
}

/** What was expected and did not arrive; rejected messages are not expected. */
export interface Missing {
  answers: number;
  deliveries: number;
  /** Messages that did not reach everyone. */
  messages: number;
}

export function countMissing({ memory, tally }: Pick<CountSources, "memory" | "tally">): Missing {
  const missing: Missing = { answers: 0, deliveries: 0, messages: 0 };
  for (let i = 0; i < memory.requests; i++) {
    const state = memory.state[i]!;
    if (state === RequestState.none || state === RequestState.refused) continue;
    if (state !== RequestState.acknowledged) missing.answers++;
    const deliveries = tally ? tally.expected(i) - tally.received(i) : 0;
    missing.deliveries += deliveries;
    if (deliveries > 0) missing.messages++;
  }
  return missing;
}

/**
 * `expected` are deliveries of acknowledged messages: to each online connection of the channel, including the
 * sender's own. `dropped` connections don't fetch what they missed. null: unknown.
 */
export function countMessages({ memory, tally, connections, copies, isComplete }: CountSources) {
  let [stored, unstored, storedTwice, expected, received] = [0, 0, 0, 0, 0];
  for (let i = 0; i < memory.requests; i++) {
    const times = copies?.[i] ?? 0;
    stored += times;
    if (times > 1) storedTwice++;
    if (memory.state[i] !== RequestState.acknowledged) continue;
    if (times === 0) unstored++;
    if (!tally) continue;
    expected += tally.expected(i);
    received += tally.received(i);
  }
  const tallied = (which: number) => (tally ? Atomics.load(tally.memory.counts, which) : 0);
  const connected = (which: number) => (connections ? Atomics.load(connections.counts, which) : 0);
  return {
    ...countRequests(memory),
    ...(copies ? { stored, unstored, storedTwice } : { stored: null, unstored: null, storedTwice: null }),
    expected,
    received,
    lost: isComplete ? expected - received : 0,
    duplicates: tallied(TallyCount.duplicates),
    outOfOrder: tallied(TallyCount.outOfOrder),
    corrupted: tallied(TallyCount.corrupted),
    dropped: connected(Count.dropped),
    resyncs: connected(Count.resyncs),
  };
}
