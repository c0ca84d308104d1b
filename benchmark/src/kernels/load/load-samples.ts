import { nowMs } from "../broadcast/clock.ts";
import type { ServerUsage } from "../../targets/target.ts";
import type { LoadSample } from "./load-result.ts";

const SAMPLE_MS = 1000;
/** Longer runs keep their last hour. */
const MOST_SAMPLES = 3600;

interface Totals {
  acknowledged: number;
  received: number;
}

interface Look extends Totals {
  cpuSeconds: number | null;
}

/** Samples the server about once a second; a slow sample delays the next one. */
export class LoadSampler {
  readonly #usage: () => Promise<ServerUsage | null>;
  readonly #totals: () => Totals;
  readonly #samples: LoadSample[] = [];
  #last: Look | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<ServerUsage | null> | undefined;

  /** The start of the samples' times; set before the first one, a second after the start. */
  startMs = 0;

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

  /** Takes the last sample. */
  async stop(): Promise<{ usage: ServerUsage | null; samples: LoadSample[] }> {
    clearInterval(this.#timer);
    await this.#looking;
    return { usage: await this.#look(), samples: this.#samples };
  }

  async #look(): Promise<ServerUsage | null> {
    try {
      const usage = await this.#usage();
      const now = { ...this.#totals(), cpuSeconds: usage?.cpuSeconds ?? null };
      const last = this.#last!;
      this.#last = now;
      this.#samples.push({
        atMs: nowMs() - this.startMs,
        acknowledged: now.acknowledged - last.acknowledged,
        received: now.received - last.received,
        cpuSeconds:
          now.cpuSeconds === null || last.cpuSeconds === null ? null : now.cpuSeconds - last.cpuSeconds,
        rssBytes: usage?.rssBytes ?? null,
        eventLoopMaxMs: usage?.eventLoopMaxMs ?? null,
      });
      if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
      return usage;
    } finally {
      this.#looking = undefined;
    }
  }
}
