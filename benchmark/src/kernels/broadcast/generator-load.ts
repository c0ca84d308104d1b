import { spread } from "./percentiles.ts";
import { watchLoop, type ThreadLoad } from "./resource-use.ts";
import { testerCaveats } from "./tester-watch.ts";

const TICK_MS = 1;

/** How many warm messages there were, and how many of them the tester disturbed. */
export interface Disturbance {
  messages: number;
  disturbed: number;
  areLeftOut: boolean;
}

/** The same for other messages. */
export interface Standstill {
  /** For example "3 of 20 messages". */
  during: string;
  delayMs: number;
  isLeftOut: boolean;
}

export interface GeneratorResult {
  /** Of the busiest receiving thread while warm messages were in flight: its share of a core, 0 to 1. */
  receiverBusy: number | null;
  /** The share of that time in which it was runnable but waiting for a core. */
  receiverWaiting: number | null;
  /** The longest delay of all warm messages. */
  longestDelayMs: number;
  /** Warm messages that the tester disturbed, and whether they are left out of the figures. */
  disturbed: number;
  areLeftOut: boolean;
  /** Cores used by unrelated programs; null if the server is remote, or its CPU time unknown. */
  otherProgramsCores: number | null;
  cpuSeconds: number;
  rssBytes: number;
  /** What overstates the times above through no fault of the server; empty: nothing. */
  verdicts: string[];
}

/** Watches the tester itself, so that its own delays are not attributed to the server. */
export class GeneratorLoad {
  #endLoop = () => 0;
  #loopDelayMs = 0;
  #longestDelayMs = 0;
  readonly #cpuAtStart = process.cpuUsage();
  readonly #busy: number[] = [];
  readonly #waiting: number[] = [];

  /** Cores used by unrelated programs during the warm messages; null if unknown. */
  otherPrograms: number | null = null;

  startRound(): void {
    this.#endLoop = watchLoop(TICK_MS);
  }

  endRound(): void {
    this.#loopDelayMs = this.#endLoop();
  }

  /**
   * Of the round that has ended, with the receiving threads' loads around it.
   * @returns how long the tester stood still: its event loop, as if the whole process is suspended, or garbage collection in a
   *   receiving thread
   */
  delayMs(before: readonly ThreadLoad[], after: readonly ThreadLoad[]): number {
    return Math.max(this.#loopDelayMs, ...after.map(({ gcMs }, i) => gcMs - before[i]!.gcMs));
  }

  /** @param deliveryMs from sending until the last member had the message */
  addWarmRound(before: readonly ThreadLoad[], after: readonly ThreadLoad[], deliveryMs: number): void {
    const share = (used: (load: ThreadLoad) => number | null) => {
      const shares = after.map((load, i) => ((used(load) ?? 0) - (used(before[i]!) ?? 0)) / deliveryMs);
      return Math.min(1, Math.max(...shares));
    };
    this.#longestDelayMs = Math.max(this.#longestDelayMs, this.delayMs(before, after));
    this.#busy.push(share((load) => load.cpuMs));
    if (after.every((load) => load.waitMs !== null)) this.#waiting.push(share((load) => load.waitMs));
  }

  result(disturbance: Disturbance, others: readonly Standstill[]): GeneratorResult {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const figures = {
      receiverBusy: spread(this.#busy)?.median ?? null,
      receiverWaiting: spread(this.#waiting)?.median ?? null,
      longestDelayMs: this.#longestDelayMs,
      disturbed: disturbance.disturbed,
      areLeftOut: disturbance.areLeftOut,
      otherProgramsCores: this.otherPrograms,
      cpuSeconds: (user + system) / 1e6,
      rssBytes: process.memoryUsage.rss(),
    };
    return {
      ...figures,
      verdicts: [...judge(figures, disturbance.messages), ...others.map(standstillVerdict)],
    };
  }
}

/** @param messages number of warm messages */
export function judge(load: Omit<GeneratorResult, "verdicts">, messages: number): string[] {
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
