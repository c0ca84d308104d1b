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
  /** Its CPU time, if that can be read without using any; undefined: it can't. */
  cpuSeconds?: () => Promise<number | null>;
}

/** Samples a server about once a second, between messages: reading its metrics would slow down one that is in flight. */
export class ServerSampler {
  readonly #sources: Sources;
  readonly #samples: ServerSample[] = [];
  readonly #startedMs = nowMs();
  #nextMs = 0;
  #cpuSeconds = 0;
  #last: { atMs: number; cpuSeconds: number | null; deliveries: number } | undefined;
  #p99Ms = 0;
  #maxMs = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  get samples(): ServerSample[] {
    return this.#samples;
  }

  /** What sampling has cost the server so far, as far as that is known. */
  get cpuSeconds(): number {
    return this.#cpuSeconds;
  }

  async sampleIfDue(): Promise<void> {
    if (nowMs() < this.#nextMs) return;
    const before = (await this.#sources.cpuSeconds?.()) ?? null;
    await this.#sample();
    const after = (await this.#sources.cpuSeconds?.()) ?? null;
    if (before !== null && after !== null) this.#cpuSeconds += after - before;
    this.#nextMs = nowMs() + SAMPLE_MS;
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

  async #sample(): Promise<void> {
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
  }
}
