import { Count, type ConnectionMemory } from "../../receivers/receiver-group.ts";
import { RequestState, type LoadMemory } from "./load-memory.ts";
import type { LoadCounts } from "./load-result.ts";
import { TallyCount, type LoadTally } from "./load-tally.ts";

export interface CountSources {
  memory: LoadMemory;
  /** undefined: no receivers. */
  tally: LoadTally | undefined;
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

export function countLoad({ memory, tally, connections, copies, isComplete }: CountSources): LoadCounts {
  const states = Array.from(Object.keys(RequestState), () => 0);
  const counts = { stored: 0, unstored: 0, storedTwice: 0, expected: 0, received: 0 };
  for (let i = 0; i < memory.requests; i++) {
    const state = memory.state[i]!;
    states[state]!++;
    if (copies) {
      counts.stored += copies[i]!;
      if (copies[i]! > 1) counts.storedTwice++;
    }
    if (state !== RequestState.acknowledged) continue;
    if (copies?.[i] === 0) counts.unstored++;
    if (!tally) continue;
    counts.expected += tally.expected(i);
    counts.received += tally.received(i);
  }
  const acknowledged = states[RequestState.acknowledged]!;
  const refused = states[RequestState.refused]!;
  const unanswered = states[RequestState.unanswered]! + states[RequestState.sent]!;
  const missed = states[RequestState.missed]!;
  const sent = acknowledged + refused + unanswered;
  return {
    intended: sent + missed,
    sent,
    acknowledged,
    refused,
    unanswered,
    missed,
    stored: copies ? counts.stored : null,
    unstored: copies ? counts.unstored : null,
    storedTwice: copies ? counts.storedTwice : null,
    expected: counts.expected,
    received: counts.received,
    lost: isComplete ? counts.expected - counts.received : 0,
    duplicates: tally ? Atomics.load(tally.memory.counts, TallyCount.duplicates) : 0,
    outOfOrder: tally ? Atomics.load(tally.memory.counts, TallyCount.outOfOrder) : 0,
    corrupted: tally ? Atomics.load(tally.memory.counts, TallyCount.corrupted) : 0,
    dropped: connections ? Atomics.load(connections.counts, Count.dropped) : 0,
    resyncs: connections ? Atomics.load(connections.counts, Count.resyncs) : 0,
  };
}
