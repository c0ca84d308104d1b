import type { DialectRef } from "./dialect.ts";
import type { NatsTraffic } from "../measure/nats-traffic.ts";
import type { Progress } from "../report/progress.ts";
import type { RegistrationResult } from "./registration.ts";

/** What a server used up to now. */
export interface ServerUsage {
  rssBytes: number | null;
  cpuSeconds: number | null;
  /** Event-loop delay since the last look, where the server tells. */
  eventLoopP99Ms: number | null;
  eventLoopMaxMs: number | null;
}

/** Sends messages to the whole audience. */
export interface Sender {
  /** Resolves when the server has acknowledged. @throws {Error} whose message is the error code. */
  send(content: string): Promise<void>;
  close(): void;
}

/**
 * A server under test, running and reachable. This is all that a command knows of it. Other kinds of
 * server are plug-ins: see `plugin.ts`.
 */
export interface Target {
  readonly name: string;
  readonly dialect: DialectRef;
  /** The processes that clients connect to; members spread over them. Never empty. */
  readonly urls: readonly string[];
  /** true: started for this run, and removed with it. */
  readonly isThrowaway: boolean;
  /** Makes `count` members and the place where they meet; their access tokens, or nulls where none are needed. */
  prepare(count: number, progress: Progress, signal: AbortSignal): Promise<Prepared>;
  openSender(): Promise<Sender>;
  /** How many of the contents that `isMeasured` the server has stored; null where it stores nothing. */
  countStored(isMeasured: (content: string) => boolean): Promise<number | null>;
  /** null where the server's figures cannot be had. */
  usage(): Promise<ServerUsage | null>;
  /** Only the CPU time, at little cost to the server; null where it cannot be had. */
  cpuSeconds(): Promise<number | null>;
  /** CPU seconds by kind of process (gateway, worker, database, …); null where they cannot be told apart. */
  cpuSecondsByKind(): Record<string, number> | null;
  /** What NATS has handed out; null where there is none, or its figures cannot be had. */
  natsTraffic(): Promise<NatsTraffic | null>;
  /** Stops what was started and removes what was made. Safe to call twice. */
  close(): Promise<void>;
}

/** Those that need nothing to be installed or started: a run can have several beside each other. */
export const TARGET_NAMES = ["fanfare", "socket.io", "ws"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

export interface Prepared {
  credentials: (string | null)[];
  registration: RegistrationResult | null;
}
