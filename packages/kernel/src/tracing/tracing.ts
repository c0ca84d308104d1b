import type { Middleware } from "moleculer";
import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import type { Registry } from "../metrics.ts";
import { runInScope, type RequestScope } from "../request-scope.ts";

/** Something that a client has asked for. */
export interface ClientRequest extends RequestScope {
  transport: "http" | "socket";
}

/**
 * Does what a client has asked for: whatever is logged, called, stored and published on the way belongs to the request.
 * @param failureOf the error of the contract that an answer tells, for answers that do
 */
export type InRequest = <T>(
  request: ClientRequest,
  work: () => Promise<T>,
  failureOf?: (answer: T) => string | undefined,
) => Promise<T>;

export const inRequestUntraced: InRequest = runInScope;

/** What was published left for all sockets of this process. */
interface Delivered {
  traces: readonly string[];
  sockets: number;
  bytes: number;
  durationMs: number;
}

/** The commands of a database connection, as its driver tells of them. */
export interface CommandEvents {
  on(event: "commandStarted", listener: (event: CommandStarted) => void): unknown;
  on(event: "commandSucceeded", listener: (event: { requestId: number }) => void): unknown;
  on(
    event: "commandFailed",
    listener: (event: { requestId: number; failure: { name?: string; code?: unknown } }) => void,
  ): unknown;
}

export interface CommandStarted {
  requestId: number;
  commandName: string;
  databaseName: string;
  /** host:port */
  address: string;
  command: Record<string, unknown>;
}

/** What makes spans, where a collector is configured; nothing of it is loaded otherwise. See docs/observability.md. */
export interface Tracing {
  inRequest: InRequest;
  /** Of the broker: spans of calls and events, and what tells other processes where they belong. */
  middleware: Middleware;
  /** Goes along with what services tell each other. */
  headersOf: (scope: RequestScope) => Record<string, string> | undefined;
  /** Publishes an event. */
  publication(event: string, rooms: string | readonly string[], publish: () => void): void;
  /** What goes along with the publication under way. */
  traceOf: () => string | undefined;
  delivered(publications: Delivered): void;
  commands: (events: CommandEvents) => void;
  /** Sends what has not been sent, but does not wait long for it. */
  stop(): Promise<void>;
}

export interface TracingParts {
  logger: Logger;
  metrics: Registry;
  nodeId: string;
  /** What publications and calls between processes go over. */
  bus: "nats" | "threads" | "none";
}

export async function openTracing(
  config: Config["tracing"],
  parts: TracingParts,
): Promise<Tracing | undefined> {
  if (config === undefined) return undefined;
  const { startTracing } = await import("./start-tracing.ts");
  return startTracing(config, parts);
}
