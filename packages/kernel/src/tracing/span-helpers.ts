import {
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type Link,
  type Span,
} from "@opentelemetry/api";
import { ERRORS } from "@fanfare/contract";
import { toServiceError } from "../errors.ts";
import type { RequestScope } from "../request-scope.ts";

/** The parent context of new spans in this scope. */
export function parentContext(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

/** Links to other requests that the same work is done for. */
export function linksOf({ linkedSpans = [] }: RequestScope): Link[] {
  return linkedSpans.map((span) => ({ context: span.spanContext() }));
}

const SERVER_ERROR = 500;

/** Rejections are normal answers; only server errors mark the span as failed. */
function recordFailure(span: Span, code: string): void {
  span.setAttributes({ "error.type": code, "rpc.response.status_code": code });
  const { status } = ERRORS[code as keyof typeof ERRORS] ?? { status: SERVER_ERROR };
  // Without a description: error messages may contain user content.
  if (status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** @param outcome "ok" or the code of an error */
export function endSpan(span: Span, outcome: string): void {
  if (outcome !== "ok") recordFailure(span, outcome);
  span.end();
}

/**
 * Ends the span with the work.
 * @param outcomeOf returns "ok" or an error code for answers that contain one
 */
export async function endWith<T>(
  span: Span,
  work: Promise<T>,
  outcomeOf?: (answer: T) => string,
): Promise<T> {
  try {
    const answer = await work;
    endSpan(span, outcomeOf?.(answer) ?? "ok");
    return answer;
  } catch (error) {
    endSpan(span, toServiceError(error).type);
    throw error;
  }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** undefined if the header is invalid or its trace isn't sampled. */
export function fromTraceparent(traceparent: unknown): Context | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  const traceFlags = Number.parseInt(flags!, 16);
  if ((traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
