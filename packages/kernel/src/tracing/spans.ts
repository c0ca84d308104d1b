import { type CallMeta, isActionName } from "@fanfare/contract";
import {
  type Attributes,
  type Context as TraceContext,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import type { Context, Middleware } from "moleculer";
import { currentScope, type RequestScope, runInScope } from "../request-scope.ts";
import { endSpan, fromTraceparent, linksOf, endWith, traceparentOf, parentContext } from "./span-helpers.ts";
import type { AnswerSpan, CommandEvents, CommandStarted, Tracing, TracingParts } from "./tracing.ts";

type Call = (context: Context<unknown, CallMeta>) => Promise<unknown>;

/** Header of a call to another process. Not part of the meta, which is passed on to nested calls. */
const HEADER = "traceparent";

export function headersOf({ span }: RequestScope): Record<string, string> | undefined {
  return span === undefined ? undefined : { [HEADER]: traceparentOf(span) };
}

/**
 * Starts the span of a call that this process handles. Only calls that are part of a trace get one, because traces start at a
 * gateway.
 * @returns undefined if the call isn't traced
 */
export function answerSpan(
  tracer: Tracer,
  name: string,
  context: Context<unknown, CallMeta>,
): AnswerSpan | undefined {
  if (!isActionName(name)) return undefined;
  const isRemote = context.nodeID !== context.broker.nodeID;
  const parent = isRemote ? fromTraceparent(context.headers[HEADER]) : contextOf(currentScope()?.span);
  if (parent === undefined) return undefined;
  const kind = isRemote ? SpanKind.SERVER : SpanKind.INTERNAL;
  const span = tracer.startSpan(name, { kind, attributes: attributesOf(name) }, parent);
  return { span, end: (outcome) => endSpan(span, outcome) };
}

/** Creates spans for traced calls to other processes, and for events handled here. */
export function callSpans(tracer: Tracer): Middleware {
  return {
    remoteAction: (call: Call, { name = "" }) => {
      if (!isActionName(name)) return call;
      const attributes = attributesOf(name);
      return (context: Context<unknown, CallMeta>) => {
        const scope = currentScope();
        if (scope?.span === undefined) return call(context);
        const options = { kind: SpanKind.CLIENT, attributes, links: linksOf(scope) };
        const span = tracer.startSpan(name, options, parentContext(scope.span));
        if (context.nodeID !== null) span.setAttribute("server.address", context.nodeID);
        context.headers = { ...context.headers, [HEADER]: traceparentOf(span) };
        return endWith(span, call(context));
      };
    },
    localEvent: (handle, { name = "" }) => {
      const attributes = {
        "messaging.system.name": "moleculer",
        "messaging.operation.name": "handle",
        "messaging.operation.type": "process",
        "messaging.destination.name": name,
      };
      return (context: Context<unknown, CallMeta>) => {
        const parent = fromTraceparent(context.headers[HEADER]);
        if (parent === undefined) return handle(context);
        const span = tracer.startSpan(`handle ${name}`, { kind: SpanKind.CONSUMER, attributes }, parent);
        const { requestId } = context.meta;
        return endWith(
          span,
          runInScope({ requestId, action: name, span, startedAtMs: performance.now() }, async () =>
            handle(context),
          ),
        );
      };
    },
  };
}

function contextOf(span: Parameters<typeof parentContext>[0] | undefined): TraceContext | undefined {
  return span === undefined ? undefined : parentContext(span);
}

/** OpenTelemetry writes `message.send` as `message/send`. */
export function attributesOf(action: string): Attributes {
  return { "rpc.system.name": "moleculer", "rpc.method": action.replace(".", "/") };
}

/** Maximum number of traced commands in progress; further ones aren't traced. */
const MAX_OPEN = 10_000;

/**
 * Creates a span for each traced database command, with its name, collection and database, and the code of an error. Nothing else is
 * recorded, because it can contain user content.
 */
export function commandSpans(tracer: Tracer, events: CommandEvents): void {
  const open = new Map<number, Span>();
  const take = (requestId: number): Span | undefined => {
    const span = open.get(requestId);
    open.delete(requestId);
    return span;
  };
  events.on("commandStarted", (event) => {
    const scope = currentScope();
    if (scope?.span === undefined || open.size >= MAX_OPEN) return;
    const { requestId, commandName, databaseName, address } = event;
    const collection = collectionOf(event);
    const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
    const span = tracer.startSpan(
      collection === undefined ? commandName : `${commandName} ${collection}`,
      {
        kind: SpanKind.CLIENT,
        links: linksOf(scope),
        attributes: {
          "db.system.name": "mongodb",
          "db.namespace": databaseName,
          "db.operation.name": commandName,
          ...(collection !== undefined && { "db.collection.name": collection }),
          "server.address": host,
          ...(port !== undefined && { "server.port": Number(port) }),
        },
      },
      parentContext(scope.span),
    );
    open.set(requestId, span);
  });
  events.on("commandSucceeded", ({ requestId }) => take(requestId)?.end());
  events.on("commandFailed", ({ requestId, failure }) => {
    const span = take(requestId);
    if (span === undefined) return;
    const { code, name = "Error" } = failure;
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", typeof code === "number" ? String(code) : name);
    if (typeof code === "number") span.setAttribute("db.response.status_code", String(code));
    span.end();
  });
}

/** The value of the command is the name of its collection, except in `getMore`. */
function collectionOf({ commandName, command }: CommandStarted): string | undefined {
  const named = commandName === "getMore" ? command["collection"] : command[commandName];
  return typeof named === "string" ? named : undefined;
}

/** Creates spans of publications: one where it is published, and one at each gateway that writes it to sockets. */
export function publicationSpans(
  tracer: Tracer,
  bus: TracingParts["bus"],
): Pick<Tracing, "publication" | "traceOf" | "delivered"> {
  const system = { "messaging.system.name": bus === "nats" ? "nats" : "fanfare" };
  /** The trace context of the current publication. It includes the event, because gateways don't parse what they forward. */
  let current: string | undefined;
  return {
    traceOf: () => current,
    publication(event, rooms, publish) {
      const scope = currentScope();
      if (scope?.span === undefined) {
        publish();
        return;
      }
      const attributes: Attributes = {
        ...system,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "messaging.destination.template": templateOf(rooms),
      };
      const options = { kind: SpanKind.PRODUCER, attributes, links: linksOf(scope) };
      const span = tracer.startSpan(`publish ${event}`, options, parentContext(scope.span));
      current = `${traceparentOf(span)} ${event}`;
      try {
        publish();
      } finally {
        current = undefined;
        span.end();
      }
    },
    delivered({ traces, sockets, bytes, durationMs }) {
      if (sockets === 0) return;
      const endedMs = performance.timeOrigin + performance.now();
      for (const one of traces) {
        const [traceparent, event = ""] = one.split(" ", 2);
        const parent = fromTraceparent(traceparent);
        if (parent === undefined) continue;
        const attributes: Attributes = {
          ...system,
          "messaging.operation.name": "deliver",
          "messaging.operation.type": "process",
          "messaging.batch.message_count": traces.length,
          "fanfare.fanout.sockets": sockets,
          "fanfare.fanout.bytes": bytes,
        };
        const options = { kind: SpanKind.CONSUMER, attributes, startTime: endedMs - durationMs };
        tracer.startSpan(`deliver ${event}`, options, parent).end(endedMs);
      }
    },
  };
}

/** The room without its id, such as `channel:{id}`. */
function templateOf(rooms: string | readonly string[]): string {
  const kinds = new Set([rooms].flat().map((room) => room.split(":", 1)[0]));
  return [...kinds].map((kind) => `${kind}:{id}`).join(" ");
}
