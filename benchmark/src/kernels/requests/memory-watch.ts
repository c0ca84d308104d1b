import type { Platform } from "../../platform/platform.ts";
import { nowMs } from "../broadcast/clock.ts";
import { spread, sum } from "../broadcast/percentiles.ts";

export interface MemorySample {
  /** Milliseconds since the start of the overload; negative: before. */
  atMs: number;
  /** Gateways and workers, or the single instance without its database. */
  servicesBytes: number;
}

const SAMPLE_MS = 500;

/** Samples the memory of a platform's processes continuously. */
export function watchMemory(platform: Platform) {
  const taken: MemorySample[] = [];
  const timer = setInterval(look, SAMPLE_MS);
  look();

  function look(): void {
    const usage = platform.usage();
    if (usage === null) return;
    // The embedded database keeps stored data in memory: it grows with each message.
    const services = Object.entries(usage).filter(([kind]) => !/^database$|-server$/.test(kind));
    taken.push({ atMs: nowMs(), servicesBytes: sum(services.map(([, { ownRssBytes }]) => ownRssBytes)) });
  }

  return {
    stop: () => clearInterval(timer),
    /** @param fromMs start of the overload by `nowMs`; `toMs` is its end */
    result(fromMs: number, toMs: number) {
      const samples = taken.map((sample) => ({ ...sample, atMs: sample.atMs - fromMs }));
      const spreadOf = (some: readonly MemorySample[]) => spread(some.map((sample) => sample.servicesBytes));
      /** Of a quarter of the overload. */
      const quarter = (number: number) =>
        spreadOf(samples.filter(({ atMs }) => Math.floor((4 * atMs) / (toMs - fromMs)) === number - 1));
      const [second, last] = [quarter(2), quarter(4)];
      const before = samples.findLast(({ atMs }) => atMs < 0) ?? samples[0];
      return {
        beforeBytes: before?.servicesBytes ?? null,
        peakBytes: spreadOf(samples)?.max ?? null,
        /** From the second to the last quarter of the overload: growth that continues once everything is full. */
        growthBytes: second && last && last.median - second.median,
        samples,
      };
    },
  };
}
