import type { ServerUsage } from "../../targets/target.ts";
import { nowMs } from "./clock.ts";
import { difference } from "./percentiles.ts";

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
}

/** Samples a server once a second; a slow sample delays the next one. */
export async function sampleServer({ usage, totals }: Sources) {
  const samples: ServerSample[] = [];
  let last: (Totals & { atMs: number; cpuSeconds: number | null }) | undefined;
  const take = async () => {
    const used = await usage();
    const [atMs, { acknowledged, deliveries }] = [nowMs(), totals()];
    const cpuSeconds = used?.cpuSeconds ?? null;
    if (last) {
      const seconds = (atMs - last.atMs) / 1000;
      const cpu = difference(last.cpuSeconds, cpuSeconds);
      samples.push({
        atMs,
        rssBytes: used?.rssBytes ?? null,
        cpuCores: cpu && cpu / seconds,
        eventLoopMaxMs: used?.eventLoopMaxMs ?? null,
        acknowledgedPerSecond: (acknowledged - last.acknowledged) / seconds,
        deliveriesPerSecond: (deliveries - last.deliveries) / seconds,
      });
      if (samples.length > MOST_SAMPLES) samples.shift();
    }
    last = { atMs, cpuSeconds, acknowledged, deliveries };
    return used;
  };
  const before = await take();
  let taking: Promise<unknown> | undefined;
  const timer = setInterval(() => (taking ??= take().finally(() => (taking = undefined))), SAMPLE_MS);
  return {
    /** What it had used until then. */
    before,
    /**
     * Takes the last sample.
     * @param startMs the start of the samples' times, by `nowMs`
     */
    async end(startMs: number): Promise<ServerSample[]> {
      clearInterval(timer);
      await taking;
      await take();
      return samples.map((sample) => ({ ...sample, atMs: sample.atMs - startMs }));
    },
  };
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
  };
}
