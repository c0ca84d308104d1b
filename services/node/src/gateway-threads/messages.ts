import type { MessagePort } from "node:worker_threads";
import type { ConnectionMemory } from "@fanfare/gateway";
import type { Config, ThreadMetrics } from "@fanfare/kernel";

/** Startup data of a gateway thread. */
export interface ThreadSetup {
  config: Config;
  /** Connects it to the bus of the other threads. */
  bus: MessagePort;
  /** Shared memory in which all threads count their connections. */
  connections: ConnectionMemory;
}

export type ToThread =
  | { type: "metrics"; id: number; name: string | null }
  | { type: "check" }
  | { type: "stop" }
  | { type: "abandon" };

export type FromThread =
  | { type: "listening" }
  | { type: "failed"; error: Error }
  | { type: "metrics"; id: number; metrics: ThreadMetrics }
  /** Answers a check. */
  | { type: "alive" }
  | { type: "stopped" }
  /** After an uncaught error, which the thread has logged. */
  | { type: "crashed" }
  | { type: "abandoned" };
