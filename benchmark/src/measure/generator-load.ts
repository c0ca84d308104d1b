import { monitorEventLoopDelay } from "node:perf_hooks";
import type { GeneratorResult } from "../report/result.ts";
import { spread } from "./percentiles.ts";
import type { ThreadLoad } from "./thread-load.ts";

/** A receiving thread that is busier than this while messages come in makes them wait. */
const BUSY_LIMIT = 0.85;
const WAITING_LIMIT = 0.35;
/** A sender that is later than this share of the p100 adds to it. */
const SENDER_DELAY_SHARE = 0.2;

/** Watches the tester itself, so that its own slowness is never taken for the server's. */
export class GeneratorLoad {
  readonly #delay = monitorEventLoopDelay({ resolution: 1 });
  readonly #cpuAtStart = process.cpuUsage();
  readonly #busy: number[] = [];
  readonly #waiting: number[] = [];

  startRounds(): void {
    this.#delay.reset();
    this.#delay.enable();
  }

  endRounds(): void {
    this.#delay.disable();
  }

  /** @param deliveryMs from sending until the last member had the message. */
  addRound(before: readonly ThreadLoad[], after: readonly ThreadLoad[], deliveryMs: number): void {
    const share = (used: (load: ThreadLoad) => number | null) => {
      const shares = after.map((load, i) => ((used(load) ?? 0) - (used(before[i]!) ?? 0)) / deliveryMs);
      return Math.min(1, Math.max(...shares));
    };
    this.#busy.push(share((load) => load.cpuMs));
    if (after.every((load) => load.waitMs !== null)) this.#waiting.push(share((load) => load.waitMs));
  }

  result(p100Ms: number | null): GeneratorResult {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const figures = {
      receiverBusy: spread(this.#busy)?.median ?? null,
      receiverWaiting: spread(this.#waiting)?.median ?? null,
      senderDelayP99Ms: milliseconds(this.#delay.percentile(99)),
      senderDelayMaxMs: milliseconds(this.#delay.max),
      cpuSeconds: (user + system) / 1e6,
      rssBytes: process.memoryUsage.rss(),
    };
    return { ...figures, verdicts: judge(figures, p100Ms) };
  }
}

export function judge(load: Omit<GeneratorResult, "verdicts">, p100Ms: number | null): string[] {
  const verdicts: string[] = [];
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  if (load.receiverBusy !== null && load.receiverBusy > BUSY_LIMIT) {
    verdicts.push(
      `The tester was the bottleneck: its receiving thread was busy for ${percent(load.receiverBusy)} of the time ` +
        "that messages took. Use --client light, more --workers, fewer --users, or another machine for the tester.",
    );
  }
  if (load.receiverWaiting !== null && load.receiverWaiting > WAITING_LIMIT) {
    verdicts.push(
      `This machine has too few cores free: the receiving thread waited for one during ${percent(load.receiverWaiting)} ` +
        "of the time that messages took. The times are too long by up to that share.",
    );
  }
  if (p100Ms !== null && load.senderDelayMaxMs > Math.max(5, p100Ms * SENDER_DELAY_SHARE)) {
    verdicts.push(
      `The sending thread was late by up to ${load.senderDelayMaxMs.toFixed(1)} ms: ` +
        "probes (--probes) that share it may have been counted as late too.",
    );
  }
  return verdicts;
}

/** The histogram counts from tick to tick: one tick of 1 ms is no delay; it is NaN before the first. */
function milliseconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - 1) : 0;
}
