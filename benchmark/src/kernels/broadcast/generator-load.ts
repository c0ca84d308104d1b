import os from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { GeneratorResult } from "./broadcast-result.ts";
import { spread } from "./percentiles.ts";
import type { ThreadLoad } from "./thread-load.ts";

/** A receiving thread busier than this delays messages. */
const BUSY_LIMIT = 0.85;
const WAITING_LIMIT = 0.35;
/** A sender that is later than this share of the p100 distorts it. */
const SENDER_DELAY_SHARE = 0.2;
const SENDER_DELAY_MS = 5;
const TICK_MS = 1;
const OTHERS_SHARE = 0.25;

/** Watches the tester itself, so that its own delays are not attributed to the server. */
export class GeneratorLoad {
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  /** The longest delay of each round. */
  readonly #delays: number[] = [];
  readonly #cpuAtStart = process.cpuUsage();
  readonly #busy: number[] = [];
  readonly #waiting: number[] = [];

  /** Cores used by unrelated programs during the warm messages; null if unknown. */
  otherPrograms: number | null = null;

  startRound(): void {
    this.#delay = monitorEventLoopDelay({ resolution: TICK_MS });
    this.#delay.enable();
  }

  endRound(): void {
    this.#delay?.disable();
    // It counts from tick to tick: one tick is no delay.
    if (this.#delay?.count) this.#delays.push(Math.max(0, this.#delay.max / 1e6 - TICK_MS));
  }

  /** @param deliveryMs from sending until the last member had the message */
  addRound(before: readonly ThreadLoad[], after: readonly ThreadLoad[], deliveryMs: number): void {
    const share = (used: (load: ThreadLoad) => number | null) => {
      const shares = after.map((load, i) => ((used(load) ?? 0) - (used(before[i]!) ?? 0)) / deliveryMs);
      return Math.min(1, Math.max(...shares));
    };
    this.#busy.push(share((load) => load.cpuMs));
    if (after.every((load) => load.waitMs !== null)) this.#waiting.push(share((load) => load.waitMs));
  }

  /** @param probes how many receivers share the sending thread */
  result(p100Ms: number | null, probes: number): GeneratorResult {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const figures = {
      receiverBusy: spread(this.#busy)?.median ?? null,
      receiverWaiting: spread(this.#waiting)?.median ?? null,
      senderDelayMs: spread(this.#delays)?.median ?? 0,
      otherProgramsCores: this.otherPrograms,
      cpuSeconds: (user + system) / 1e6,
      rssBytes: process.memoryUsage.rss(),
    };
    return { ...figures, verdicts: judge(figures, p100Ms, probes) };
  }
}

export function judge(
  load: Omit<GeneratorResult, "verdicts">,
  p100Ms: number | null,
  probes: number,
): string[] {
  const verdicts: string[] = [];
  const percent = (share: number) => `${Math.round(share * 100)} %`;
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
  const cores = os.availableParallelism();
  if (load.otherProgramsCores !== null && load.otherProgramsCores > cores * OTHERS_SHARE) {
    verdicts.push(
      `Other programs used ${load.otherProgramsCores.toFixed(1)} of the ${cores} cores of this machine: ` +
        "latencies are overstated, and only ratios within one run are meaningful.",
    );
  }
  if (
    probes > 0 &&
    p100Ms !== null &&
    load.senderDelayMs > Math.max(SENDER_DELAY_MS, p100Ms * SENDER_DELAY_SHARE)
  ) {
    verdicts.push(
      `The sending thread was late by ${load.senderDelayMs.toFixed(1)} ms: ` +
        "the probes (--probes) that share it may have been measured late too.",
    );
  }
  return verdicts;
}
