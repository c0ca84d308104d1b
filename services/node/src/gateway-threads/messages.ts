import type { MessagePort } from "node:worker_threads";
import type { ConnectionMemory } from "@fanfare/gateway";
import type { Config, ThreadMetrics } from "@fanfare/kernel";

/** What a gateway's thread is started with. */
export interface ThreadSetup {
  config: Config;
  /** Its connection to the other threads. */
  bus: MessagePort;
  /** In which all threads count their connections. */
  connections: ConnectionMemory;
}

export type ToThread =
  | { type: "metrics"; id: number; name: string | null }
  | { type: "stop" }
  | { type: "abandon" };

export type FromThread =
  | { type: "listening" }
  | { type: "failed"; error: Error }
  | { type: "metrics"; id: number; metrics: ThreadMetrics }
  | { type: "stopped" }
  /** After an uncaught error, which the thread has logged. */
  | { type: "crashed" }
  | { type: "abandoned" };
