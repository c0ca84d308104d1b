import type { FaultPlan } from "./fake-platform.ts";

/** Pseudo-random faults, the same each time: about every twelfth delivery has one. */
export function faultsOf(seed: number): FaultPlan {
  return (member, message) => {
    // Mulberry32, one step for each pair.
    let state = (seed * 7919 + member * 104_729 + message * 1_299_709) | 0;
    state = Math.imul(state ^ (state >>> 15), state | 1);
    state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
    const dice = (state ^ (state >>> 14)) >>> 0;
    if (dice % 12 !== 0) return undefined;
    return (["drop", "duplicate", "hold until the next", { delayMs: 20 }] as const)[(dice >>> 8) % 4];
  };
}

interface ExpectedRound {
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
}

/** What a tester must report for each message, if they are sent one after the other. */
export function expectedRounds(
  faultOf: FaultPlan,
  { members, messages }: { members: number; messages: number },
): ExpectedRound[] {
  const rounds = Array.from({ length: messages }, () => {
    return { received: 0, lost: members, duplicates: 0, outOfOrder: 0 };
  });
  for (let member = 0; member < members; member++) {
    const arrived: number[] = [];
    for (const message of arrivals(faultOf, member, messages)) {
      const round = rounds[message]!;
      if (arrived.includes(message)) {
        round.duplicates++;
        continue;
      }
      round.received++;
      round.lost--;
      if (arrived.some((earlier) => earlier > message)) round.outOfOrder++;
      arrived.push(message);
    }
  }
  return rounds;
}

/** The messages that one member gets, in order of arrival. */
function arrivals(faultOf: FaultPlan, member: number, messages: number): number[] {
  const order: number[] = [];
  let held: number[] = [];
  for (let message = 0; message < messages; message++) {
    const fault = faultOf(member, message);
    if (fault === "hold until the next") {
      held.push(message);
      continue;
    }
    if (fault !== "drop") order.push(message);
    if (fault === "duplicate") order.push(message);
    order.push(...held);
    held = [];
  }
  return order;
}
