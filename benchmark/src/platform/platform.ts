import type { ServerProcess } from "./server-process.ts";

/** A process that clients connect to. */
export interface Gateway {
  url: string;
  metricsUrl: string;
  process: ServerProcess;
}

/** A platform that is started for this run, and removed with it. */
export interface Platform {
  readonly gateways: readonly Gateway[];
  readonly workers: number;
  /** Folder of everything it writes. */
  readonly folder: string;
  /** Monitoring address of nats-server; undefined for a single instance, which has none. */
  readonly natsMonitorUrl: string | undefined;
  /** All its running processes; those that are not Fanfare itself are called `database` or `…-server`. */
  readonly processes: { name: string; pid: number }[];
  /**
   * Restarts the processes that hold the connections, with the same data and addresses, and with additional
   * settings.
   */
  refresh(signal: AbortSignal, env?: NodeJS.ProcessEnv): Promise<void>;
  close(): Promise<void>;
}
