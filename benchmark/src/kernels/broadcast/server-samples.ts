import type { ServerUsage } from "../../targets/target.ts";
import { nowMs } from "./clock.ts";

/** What a server did within about a second. null: unknown. */
export interface ServerSample {
  /** Its end, in milliseconds since the first sample. */
  atMs: number;
  rssBytes: number | null;
  /** Processor cores used, on average. */
  cpuCores: number | null;
  eventLoopMaxMs: number | null;
  /** Deliveries to receivers. */
  deliveriesPerSecond: number;
}

const SAMPLE_MS = 1000;
/** Longer runs keep their last hour. */
const MOST_SAMPLES = 3600;

interface Sources {
  usage: () => Promise<ServerUsage | null>;
  /** Deliveries so far. */
  deliveries: () => number;
}

/** Samples a server once a second. A slow sample delays the next one. */
export class ServerSampler {
  readonly #sources: Sources;
  readonly #samples: ServerSample[] = [];
  readonly #startedMs = nowMs();
  #timer: NodeJS.Timeout | undefined;
  #last: { atMs: number; cpuSeconds: number | null; deliveries: number } | undefined;
  #looking: Promise<void> | undefined;
  #p99Ms = 0;
  #maxMs = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#timer = setInterval(() => (this.#looking ??= this.#look()), SAMPLE_MS);
    this.#looking = this.#look();
  }

  /** Safe to call twice. */
  async stop(): Promise<ServerSample[]> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#looking;
    return this.#samples;
  }

  /** Each sample resets the measured delays: returns the worst since the last call of `worst`. */
  worst(usage: ServerUsage | null): ServerUsage | null {
    this.#remember(usage);
    const [eventLoopP99Ms, eventLoopMaxMs] = [this.#p99Ms, this.#maxMs];
    [this.#p99Ms, this.#maxMs] = [0, 0];
    return usage?.eventLoopMaxMs === null || usage === null
      ? usage
      : { ...usage, eventLoopP99Ms, eventLoopMaxMs };
  }

  #remember(usage: ServerUsage | null): void {
    this.#p99Ms = Math.max(this.#p99Ms, usage?.eventLoopP99Ms ?? 0);
    this.#maxMs = Math.max(this.#maxMs, usage?.eventLoopMaxMs ?? 0);
  }

  async #look(): Promise<void> {
    try {
      const usage = await this.#sources.usage();
      this.#remember(usage);
      const [atMs, deliveries] = [nowMs() - this.#startedMs, this.#sources.deliveries()];
      const cpuSeconds = usage?.cpuSeconds ?? null;
      if (this.#last) {
        const seconds = (atMs - this.#last.atMs) / 1000;
        const before = this.#last.cpuSeconds;
        this.#samples.push({
          atMs,
          rssBytes: usage?.rssBytes ?? null,
          cpuCores: cpuSeconds === null || before === null ? null : (cpuSeconds - before) / seconds,
          eventLoopMaxMs: usage?.eventLoopMaxMs ?? null,
          deliveriesPerSecond: (deliveries - this.#last.deliveries) / seconds,
        });
        if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
      }
      this.#last = { atMs, cpuSeconds, deliveries };
    } finally {
      this.#looking = undefined;
    }
  }
}
