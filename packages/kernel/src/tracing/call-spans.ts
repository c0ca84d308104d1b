import { isActionName, type CallMeta } from "@fanfare/contract";
import { SpanKind, type Attributes, type Context as TraceContext, type Tracer } from "@opentelemetry/api";
import type { Context, Middleware } from "moleculer";
import { currentScope, runInScope, type RequestScope } from "../request-scope.ts";
import { endSpan, fromTraceparent, linksOf, spanning, traceparentOf, under } from "./span-parts.ts";
import type { AnswerSpan } from "./tracing.ts";

type Call = (context: Context<unknown, CallMeta>) => Promise<unknown>;

/** Header of a call to another process. Not in the meta, which calls hand on to those that they make. */
const HEADER = "traceparent";

export function headersOf({ span }: RequestScope): Record<string, string> | undefined {
  return span === undefined ? undefined : { [HEADER]: traceparentOf(span) };
}

/**
 * Begins the span of a call that this process answers. Traces begin at a gateway: a call that came without one is not traced.
 * @returns undefined for a call that is not traced
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

/** A span for each call that is part of a trace and that another process answers, and for each event that is handled here. */
export function callSpans(tracer: Tracer): Middleware {
  return {
    remoteAction: (call: Call, { name = "" }) => {
      if (!isActionName(name)) return call;
      const attributes = attributesOf(name);
      return (context: Context<unknown, CallMeta>) => {
        const scope = currentScope();
        if (scope?.span === undefined) return call(context);
        const options = { kind: SpanKind.CLIENT, attributes, links: linksOf(scope) };
        const span = tracer.startSpan(name, options, under(scope.span));
        if (context.nodeID !== null) span.setAttribute("server.address", context.nodeID);
        context.headers = { ...context.headers, [HEADER]: traceparentOf(span) };
        return spanning(span, call(context));
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
        return spanning(
          span,
          runInScope({ requestId, action: name, span, beganAtMs: performance.now() }, async () =>
            handle(context),
          ),
        );
      };
    },
  };
}

function contextOf(span: Parameters<typeof under>[0] | undefined): TraceContext | undefined {
  return span === undefined ? undefined : under(span);
}

/** `message.send` is `message/send` in OpenTelemetry's writing. */
export function attributesOf(action: string): Attributes {
  return { "rpc.system.name": "moleculer", "rpc.method": action.replace(".", "/") };
}
