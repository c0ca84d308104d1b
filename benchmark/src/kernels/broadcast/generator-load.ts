import os from "node:os";
import type { GeneratorResult } from "./broadcast-result.ts";
import { nowMs } from "./clock.ts";
import { spread } from "./percentiles.ts";
import type { ThreadLoad } from "./thread-load.ts";

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
  const verdicts: string[] = [];
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  if (load.disturbed > 0) {
    verdicts.push(
      standstillVerdict({
        during: `${load.disturbed} of ${messages} messages`,
        delayMs: load.longestDelayMs,
        isLeftOut: load.areLeftOut,
      }),
    );
  }
  if (load.receiverBusy !== null && load.receiverBusy > BUSY_LIMIT) {
    verdicts.push(
      `The tester was the bottleneck: its receiving thread was busy ${percent(load.receiverBusy)} of the time ` +
        "that deliveries took. Use --client light, more --threads, fewer --users, or another machine for the tester.",
    );
  }
  if (load.receiverWaiting !== null && load.receiverWaiting > WAITING_LIMIT) {
    verdicts.push(
      `This machine has too few free cores: the receiving thread waited for one ${percent(load.receiverWaiting)} ` +
        "of the time that deliveries took. Latencies may be overstated by up to that fraction.",
    );
  }
  const effect = "latencies are overstated, and only ratios within one run are meaningful.";
  return [...verdicts, ...otherProgramsVerdict(load.otherProgramsCores, effect)];
}

/** @param cores that unrelated programs used; null: unknown */
export function otherProgramsVerdict(cores: number | null | undefined, effect: string): string[] {
  const all = os.availableParallelism();
  if ((cores ?? 0) <= all * OTHERS_SHARE) return [];
  return [`Other programs used ${cores!.toFixed(1)} of the ${all} cores of this machine: ${effect}`];
}

function standstillVerdict({ during, delayMs, isLeftOut }: Standstill): string {
  const effect = isLeftOut
    ? "not counted in the times."
    : "too many to leave them out, so times are overstated by up to that.";
  return `The tester itself stood still during ${during}, for up to ${delayMs.toFixed(1)} ms: ${effect}`;
}
