import type { ServerUsage } from "../targets/target.ts";
import { nowMs } from "./clock.ts";

/** What a server did in one stretch of about a second. null: not known. */
export interface ServerSample {
  /** Its end, in milliseconds since the first look. */
  atMs: number;
  rssBytes: number | null;
  /** Processor cores that it used, on average. */
  cpuCores: number | null;
  eventLoopMaxMs: number | null;
  /** Deliveries that came to receivers. */
  deliveriesPerSecond: number;
}

const SAMPLE_MS = 1000;
/** Longer runs keep their last hour. */
const MOST_SAMPLES = 3600;

interface Sources {
  usage: () => Promise<ServerUsage | null>;
  /** Deliveries up to now. */
  deliveries: () => number;
}

/** Looks at a server once a second. A look that takes longer is waited for, and the next one comes later. */
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

  /** Each look begins the measurement of the delays anew: the worst since `worst` was last asked for. */
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
