import os from "node:os";
import { applying, percent } from "../../report/format.ts";
import { nowMs } from "./clock.ts";
import { spread } from "./percentiles.ts";
import type { ThreadLoad } from "./resource-use.ts";

/** A receiving thread busier than this delays messages. */
export const BUSY_LIMIT = 0.85;
export const WAITING_LIMIT = 0.35;
/** Other programs that use more than this share of the machine do, too. */
export const OTHERS_SHARE = 0.25;
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
  #ticks: NodeJS.Timeout | undefined;
  #lastTickMs = 0;
  #loopDelayMs = 0;
  #longestDelayMs = 0;
  readonly #cpuAtStart = process.cpuUsage();
  readonly #busy: number[] = [];
  readonly #waiting: number[] = [];

  /** Cores used by unrelated programs during the warm messages; null if unknown. */
  otherPrograms: number | null = null;

  startRound(): void {
    this.#loopDelayMs = 0;
    this.#lastTickMs = nowMs();
    this.#ticks = setInterval(() => this.#tick(), TICK_MS);
  }

  endRound(): void {
    clearInterval(this.#ticks);
    // A delay that has just ended may not have had its tick yet. Node's monitorEventLoopDelay misses it, and the time to its first tick.
    this.#tick();
  }

  #tick(): void {
    const now = nowMs();
    this.#loopDelayMs = Math.max(this.#loopDelayMs, now - this.#lastTickMs - TICK_MS);
    this.#lastTickMs = now;
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
  const { receiverBusy: busy, receiverWaiting: waiting, disturbed } = load;
  const standstill = {
    during: `${disturbed} of ${messages} messages`,
    delayMs: load.longestDelayMs,
    isLeftOut: load.areLeftOut,
  };
  return applying(
    disturbed > 0 && standstillVerdict(standstill),
    busy !== null &&
      busy > BUSY_LIMIT &&
      `The tester was the bottleneck: its receiving thread was busy ${percent(busy)} of the time ` +
        "that deliveries took. Use --client light, more --threads, fewer --users, or another machine for the tester.",
    waiting !== null &&
      waiting > WAITING_LIMIT &&
      `This machine has too few free cores: the receiving thread waited for one ${percent(waiting)} ` +
        "of the time that deliveries took. Latencies may be overstated by up to that fraction.",
    otherProgramsVerdict(
      load.otherProgramsCores,
      "latencies are overstated, and only ratios within one run are meaningful.",
    ),
  );
}

/** @param cores that unrelated programs used; null: unknown */
export function otherProgramsVerdict(cores: number | null | undefined, effect: string): string | undefined {
  const all = os.availableParallelism();
  if ((cores ?? 0) <= all * OTHERS_SHARE) return undefined;
  return `Other programs used ${cores!.toFixed(1)} of the ${all} cores of this machine: ${effect}`;
}

function standstillVerdict({ during, delayMs, isLeftOut }: Standstill): string {
  const effect = isLeftOut
    ? "not counted in the times."
    : "too many to leave them out, so times are overstated by up to that.";
  return `The tester itself stood still during ${during}, for up to ${delayMs.toFixed(1)} ms: ${effect}`;
}
