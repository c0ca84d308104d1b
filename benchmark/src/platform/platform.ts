import type { ServerProcess } from "./server-process.ts";

/** One process that clients connect to. */
export interface Gateway {
  url: string;
  metricsUrl: string;
  process: ServerProcess;
}

/** A platform that was started for this run, and is removed with it. */
export interface Platform {
  readonly gateways: readonly Gateway[];
  readonly workers: number;
  /** Where everything is that it writes. */
  readonly folder: string;
  /** Where nats-server tells what it has passed on; undefined for a single instance, which has none. */
  readonly natsMonitorUrl: string | undefined;
  /** All its processes that run; those that are not Fanfare's own program are called `database` or `…-server`. */
  readonly processes: { name: string; pid: number }[];
  /** Starts the processes that hold the connections again, with the same data and addresses, and with further settings. */
  refresh(signal: AbortSignal, env?: NodeJS.ProcessEnv): Promise<void>;
  close(): Promise<void>;
}
