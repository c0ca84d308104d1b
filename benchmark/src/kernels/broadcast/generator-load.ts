import { spread } from "./percentiles.ts";
import { busiestThread, type ThreadLoad } from "./resource-use.ts";
import { testerCaveats, type TesterLoad } from "./tester-watch.ts";

/** What the tester itself did while a message or a burst was in flight. */
export type RoundLoad = ReturnType<typeof roundLoad>;

/**
 * @param loopDelayMs how long the event loop of this thread stood still
 * @param before the receiving threads' loads, and after it
 */
export function roundLoad(loopDelayMs: number, before: readonly ThreadLoad[], after: readonly ThreadLoad[]) {
  return {
    /** How long it stood still: its event loop, as if the process is suspended, or garbage collection in a receiving thread. */
    delayMs: Math.max(loopDelayMs, ...after.map(({ gcMs }, i) => gcMs - before[i]!.gcMs)),
    ...busiestThread(before, after),
  };
}

export const NO_LOAD: RoundLoad = { delayMs: 0, busy: null, waiting: null };

/** Messages that the tester disturbed. */
export interface Standstill {
  /** For example "3 of 20 messages". */
  during: string;
  delayMs: number;
  /** They are left out of the figures. */
  isLeftOut: boolean;
}

interface WarmMessages {
  loads: readonly RoundLoad[];
  /** How many of them the tester disturbed, and whether they are left out of the figures. */
  disturbed: number;
  areLeftOut: boolean;
}

/** What the tester used, so that its own delays are not attributed to the server. */
export function generatorResult(
  { loads, disturbed, areLeftOut }: WarmMessages,
  others: readonly Standstill[],
  otherProgramsCores: number | null,
) {
  const median = (of: (load: RoundLoad) => number | null) =>
    spread(loads.map(of).filter((share) => share !== null))?.median ?? null;
  const figures = {
    /** Of the busiest receiving thread while warm messages were in flight: its share of a core, 0 to 1. */
    receiverBusy: median(({ busy }) => busy),
    /** The share of that time in which it was runnable but waiting for a core. */
    receiverWaiting: median(({ waiting }) => waiting),
    /** The longest delay of all warm messages. */
    longestDelayMs: Math.max(0, ...loads.map(({ delayMs }) => delayMs)),
    disturbed,
    areLeftOut,
    /** Cores used by unrelated programs; null if the server is remote, or its CPU time unknown. */
    otherProgramsCores,
  };
  /** What overstates the times above through no fault of the server; empty: nothing. */
  const verdicts = [...judge(figures, loads.length), ...others.map(standstillVerdict)];
  return { ...figures, verdicts };
}

interface JudgedLoad extends Partial<TesterLoad>, Omit<WarmMessages, "loads"> {
  longestDelayMs: number;
}

/** @param messages number of warm messages */
export function judge(load: JudgedLoad, messages: number): string[] {
  const { disturbed, longestDelayMs: delayMs, areLeftOut: isLeftOut } = load;
  const standstill = { during: `${disturbed} of ${messages} messages`, delayMs, isLeftOut };
  return [...(disturbed > 0 ? [standstillVerdict(standstill)] : []), ...testerCaveats(load, null)];
}

function standstillVerdict({ during, delayMs, isLeftOut }: Standstill): string {
  const effect = isLeftOut
    ? "not counted in the times."
    : "too many to leave them out, so times are overstated by up to that.";
  return `The tester itself stood still during ${during}, for up to ${delayMs.toFixed(1)} ms: ${effect}`;
}
