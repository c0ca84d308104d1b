import type { Span } from "@opentelemetry/api";
import type { Context, Middleware } from "moleculer";
import type { CallMeta } from "@fanfare/contract";
import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import type { Registry } from "../metrics.ts";
import { type RequestScope, runInScope } from "../request-scope.ts";

/** A request of a client. */
export interface ClientRequest extends RequestScope {
  transport: "http" | "socket";
}

/**
 * Runs the work of a request: its log lines, calls, commands and publications belong to the request.
 * @param outcomeOf returns "ok" or an error code for answers that contain one
 */
export type InRequest = <T>(
  request: ClientRequest,
  work: () => Promise<T>,
  outcomeOf?: (response: T) => string,
) => Promise<T>;

export const inRequestUntraced: InRequest = runInScope;

/** The span of a call in progress. */
export interface AnswerSpan {
  span: Span;
  /** @param outcome "ok" or the code of the error */
  end(outcome: string): void;
}

/** A publication was written to all sockets of this process. */
interface Delivered {
  traces: readonly string[];
  sockets: number;
  bytes: number;
  durationMs: number;
}

/** The command events of a database driver. */
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

/** Creates spans if a collector is configured; otherwise no tracing code is loaded. See docs/run/observability.md. */
export interface Tracing {
  inRequest: InRequest;
  /** Broker middleware: spans of remote calls and events, and propagation of the trace context. */
  middleware: Middleware;
  /** Starts the span of a call that this process answers; undefined if it is not traced. */
  answerSpan: (action: string, context: Context<unknown, CallMeta>) => AnswerSpan | undefined;
  /** Trace headers for messages between services. */
  headersOf: (scope: RequestScope) => Record<string, string> | undefined;
  /** Publishes an event. */
  publication(event: string, rooms: string | readonly string[], publish: () => void): void;
  /** Trace context of the current publication. */
  traceOf: () => string | undefined;
  delivered(publications: Delivered): void;
  commands: (events: CommandEvents) => void;
  /** Flushes buffered spans, with a short timeout. */
  stop(): Promise<void>;
}

export interface TracingParts {
  logger: Logger;
  metrics: Registry;
  nodeId: string;
  /** The transport of publications and calls between processes. */
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
