import type { ServerUsage } from "../../targets/target.ts";
import { nowMs } from "./clock.ts";

/** What a server did within about a second. null: unknown. */
export interface ServerSample {
  /** Its end. */
  atMs: number;
  rssBytes: number | null;
  /** Processor cores used, on average. */
  cpuCores: number | null;
  eventLoopMaxMs: number | null;
  acknowledgedPerSecond: number;
  /** To receivers. */
  deliveriesPerSecond: number;
}

interface Totals {
  acknowledged: number;
  deliveries: number;
}

const SAMPLE_MS = 1000;
/** Longer runs keep their last hour. */
const MOST_SAMPLES = 3600;

interface Sources {
  usage: () => Promise<ServerUsage | null>;
  /** So far. */
  totals: () => Totals;
  /** Its CPU time, if that can be read without using any; undefined: it can't. */
  cpuSeconds?: () => Promise<number | null>;
  /** CPU time that `usage` costs the server, if it can't be read at each sample; default: unknown, taken for 0. */
  readingSeconds?: () => number;
}

/** Samples a server about once a second. */
export class ServerSampler {
  readonly #sources: Sources;
  readonly #samples: ServerSample[] = [];
  readonly #startedMs = nowMs();
  #nextMs = 0;
  #cpuSeconds = 0;
  #last: (Totals & { atMs: number; cpuSeconds: number | null }) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<unknown> | undefined;
  #maxMs = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** @param startMs the start of the samples' times, by `nowMs` */
  samples(startMs = this.#startedMs): ServerSample[] {
    return this.#samples.map((sample) => ({ ...sample, atMs: sample.atMs - startMs }));
  }

  /** Samples all the time; a slow sample delays the next one. @returns the usage so far */
  async start(): Promise<ServerUsage | null> {
    const usage = await this.#sample();
    const look = () => this.#sample().finally(() => (this.#looking = undefined));
    this.#timer = setInterval(() => (this.#looking ??= look()), SAMPLE_MS);
    return usage;
  }

  /** Takes the last sample. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#sample();
  }

  /** What sampling has cost the server so far, as far as that is known. */
  get cpuSeconds(): number {
    return this.#cpuSeconds;
  }

  /** For between messages: reading the server's metrics would slow down one that is in flight. */
  async sampleIfDue(): Promise<void> {
    if (nowMs() < this.#nextMs) return;
    const before = (await this.#sources.cpuSeconds?.()) ?? null;
    await this.#sample();
    const after = (await this.#sources.cpuSeconds?.()) ?? null;
    if (before !== null && after !== null) this.#cpuSeconds += after - before;
    else this.#cpuSeconds += this.#sources.readingSeconds?.() ?? 0;
    this.#nextMs = nowMs() + SAMPLE_MS;
  }

  /** Each sample resets the measured delay: returns the worst since the last call of `worst`. */
  worst(usage: ServerUsage | null): ServerUsage | null {
    const eventLoopMaxMs = Math.max(this.#maxMs, usage?.eventLoopMaxMs ?? 0);
    this.#maxMs = 0;
    return usage === null || usage.eventLoopMaxMs === null ? usage : { ...usage, eventLoopMaxMs };
  }

  async #sample(): Promise<ServerUsage | null> {
    const usage = await this.#sources.usage();
    this.#maxMs = Math.max(this.#maxMs, usage?.eventLoopMaxMs ?? 0);
    const [atMs, totals] = [nowMs(), this.#sources.totals()];
    const cpuSeconds = usage?.cpuSeconds ?? null;
    if (this.#last) {
      const { acknowledged, deliveries, cpuSeconds: before } = this.#last;
      const seconds = (atMs - this.#last.atMs) / 1000;
      this.#samples.push({
        atMs,
        rssBytes: usage?.rssBytes ?? null,
        cpuCores: cpuSeconds === null || before === null ? null : (cpuSeconds - before) / seconds,
        eventLoopMaxMs: usage?.eventLoopMaxMs ?? null,
        acknowledgedPerSecond: (totals.acknowledged - acknowledged) / seconds,
        deliveriesPerSecond: (totals.deliveries - deliveries) / seconds,
      });
      if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
    }
    this.#last = { atMs, cpuSeconds, ...totals };
    return usage;
  }
}

export type ServerResult = ReturnType<typeof unknownServer>;

/** What a broadcast shows of the server; null: unknown. */
export function unknownServer() {
  return {
    /** After the registration, before the first connection. */
    beforeConnect: null as ServerUsage | null,
    connected: null as ServerUsage | null,
    afterRounds: null as ServerUsage | null,
    afterBursts: null as ServerUsage | null,
    rssPerConnectionBytes: null as number | null,
    /** Server CPU per warm message, and without what the idle server uses meanwhile. */
    cpuMsPerMessage: null as number | null,
    netCpuMsPerMessage: null as number | null,
    /** Server CPU per second with all members online, before the cold message; null: it was shorter than a second. */
    idleCpuMsPerSecond: null as number | null,
    /** The same by kind of process, in a cluster that was started for the run. */
    cpuMsPerMessageByKind: null as Record<string, number> | null,
    /**
     * What NATS delivered while warm messages were sent: publications to rooms per message, one per receiving gateway,
     * and those to gateways without members of the audience in total.
     */
    natsPerMessage: null as { rooms: number; toIdleGateways: number } | null,
    /** Once a second, from the first message to the last burst. */
    samples: [] as ServerSample[],
  };
}
