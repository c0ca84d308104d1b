import type { Span } from "@opentelemetry/api";
import type { Context, Middleware } from "moleculer";
import type { CallMeta } from "@fanfare/contract";
import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import type { Registry } from "../metrics.ts";
import { type RequestScope, runInScope } from "../request-scope.ts";

/** Something that a client has asked for. */
export interface ClientRequest extends RequestScope {
  transport: "http" | "socket";
}

/**
 * Does what a client has asked for: whatever is logged, called, stored and published on the way belongs to the request.
 * @param outcomeOf "ok" or the code of an error, for answers that tell it
 */
export type InRequest = <T>(
  request: ClientRequest,
  work: () => Promise<T>,
  outcomeOf?: (answer: T) => string,
) => Promise<T>;

export const inRequestUntraced: InRequest = runInScope;

/** The span of a call while it is being answered. */
export interface AnswerSpan {
  span: Span;
  /** @param outcome "ok" or the code of the error */
  end(outcome: string): void;
}

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
  /** Of the broker: spans of calls to other processes and of events, and what tells those where they belong. */
  middleware: Middleware;
  /** Begins the span of a call that this process answers; undefined: it is not traced. */
  answerSpan: (action: string, context: Context<unknown, CallMeta>) => AnswerSpan | undefined;
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
