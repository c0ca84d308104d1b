import type { ServerUsage } from "../../targets/target.ts";
import type { ServerSample } from "./server-samples.ts";

/**
 * `first`: the first message after connecting, with cold code paths. `cold`: the first after an idle time.
 * `warmup`: shown, but not part of the warm figures.
 */
export type RoundKind = "first" | "warmup" | "cold" | "warm";

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

export interface GeneratorResult {
  /** Of the busiest receiving thread while warm messages were in flight: its share of a core, 0 to 1. */
  receiverBusy: number | null;
  /** The share of that time in which it was runnable but waiting for a core. */
  receiverWaiting: number | null;
  /** The longest delay of all warm messages. */
  longestDelayMs: number;
  /** Warm messages that the tester disturbed, and whether they are left out of the figures. */
  disturbed: number;
  areLeftOut: boolean;
  /** Cores used by unrelated programs; null if the server is remote, or its CPU time unknown. */
  otherProgramsCores: number | null;
  cpuSeconds: number;
  rssBytes: number;
  /** What overstates the times above through no fault of the server; empty: nothing. */
  verdicts: string[];
}
