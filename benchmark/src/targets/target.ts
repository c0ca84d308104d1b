import type { NatsTraffic } from "../kernels/broadcast/server-metrics.ts";
import type { Progress } from "../report/progress.ts";
import type { Sender, ServerUsage } from "./plugin.ts";
import type { DialectRef } from "./plugins.ts";
import type { RegistrationResult } from "./registration.ts";

export type { Sender, ServerUsage } from "./plugin.ts";

/**
 * A server under test, running and reachable: the interface between commands and servers. Other kinds of server
 * are plug-ins: see `plugin.ts`.
 */
export interface Target {
  readonly name: string;
  readonly dialect: DialectRef;
  /** The processes that clients connect to; members spread over them. Never empty. */
  readonly urls: readonly string[];
  /** true: started for this run, and removed with it. */
  readonly isThrowaway: boolean;
  /** Of what was started: gateways and workers, threads or processes. undefined: it can't differ. */
  readonly size?: string | undefined;
  /** Creates `count` members and the channel that they share. */
  prepare(count: number, progress: Progress, signal: AbortSignal): Promise<Prepared>;
  openSender(): Promise<Sender>;
  /** The text of every stored message of the channel, in any order. Absent: what is stored is unknown. */
  readonly contents?: (() => AsyncIterable<unknown>) | undefined;
  /** null if the server's metrics are unavailable. */
  usage(): Promise<ServerUsage | null>;
  /** Only the CPU time, at little cost to the server; null if unavailable. */
  cpuSeconds(): Promise<number | null>;
  /** CPU seconds by kind of process (gateway, worker, database, …); null if they can't be distinguished. */
  cpuSecondsByKind(): Record<string, number> | null;
  /** What NATS has delivered; null if it isn't used, or its figures are unavailable. */
  natsTraffic(): Promise<NatsTraffic | null>;
  /** Stops what was started and removes what was created. Safe to call twice. */
  close(): Promise<void>;
}

export interface Prepared {
  /** The members' access tokens, or nulls if none are needed. They expire: to be asked for before each connection. */
  credentials: () => Promise<(string | null)[]>;
  registration: RegistrationResult | null;
}
