import { nowMs } from "../broadcast/clock.ts";
import type { ServerUsage } from "../../targets/target.ts";
import type { LoadSample } from "./load.ts";

const SAMPLE_MS = 1000;
/** Longer runs keep their last hour. */
const MOST_SAMPLES = 3600;

type Totals = Pick<LoadSample, "acknowledged" | "received">;

/** Samples the server about once a second; a slow sample delays the next one. */
export class LoadSampler {
  readonly #usage: () => Promise<ServerUsage | null>;
  readonly #totals: () => Totals;
  readonly #samples: LoadSample[] = [];
  #last: Totals & Pick<LoadSample, "cpuSeconds"> = { acknowledged: 0, received: 0, cpuSeconds: null };
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(usage: () => Promise<ServerUsage | null>, totals: () => Totals) {
    this.#usage = usage;
    this.#totals = totals;
  }

  /** @returns the usage so far */
  async start(): Promise<ServerUsage | null> {
    const usage = await this.#usage();
    this.#last = { ...this.#totals(), cpuSeconds: usage?.cpuSeconds ?? null };
    this.#timer = setInterval(() => (this.#looking ??= this.#look()), SAMPLE_MS);
    return usage;
  }

  /**
   * Takes the last sample.
   * @param startMs the start of the samples' times, by `nowMs`
   */
  async stop(startMs: number): Promise<LoadSample[]> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#look();
    return this.#samples.map((sample) => ({ ...sample, atMs: sample.atMs - startMs }));
  }

  async #look(): Promise<void> {
    try {
      const usage = await this.#usage();
      const now = { ...this.#totals(), cpuSeconds: usage?.cpuSeconds ?? null };
      const last = this.#last;
      this.#last = now;
      this.#samples.push({
        atMs: nowMs(),
        acknowledged: now.acknowledged - last.acknowledged,
        received: now.received - last.received,
        cpuSeconds:
          now.cpuSeconds === null || last.cpuSeconds === null ? null : now.cpuSeconds - last.cpuSeconds,
        rssBytes: usage?.rssBytes ?? null,
        eventLoopMaxMs: usage?.eventLoopMaxMs ?? null,
      });
      if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
    } finally {
      this.#looking = undefined;
    }
  }
}
