import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { ROOT_CONTEXT, SpanKind, type Tracer, diag, DiagLogLevel } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import { Counter, type Registry } from "../metrics.ts";
import { runInScope } from "../request-scope.ts";
import { answerSpan, attributesOf, callSpans, commandSpans, headersOf, publicationSpans } from "./spans.ts";
import { spanning } from "./span-parts.ts";
import { inRequestUntraced, type InRequest, type Tracing, type TracingParts } from "./tracing.ts";

/** How often an unreachable collector is logged. */
const TELL_EVERY_MS = 60_000;

const MAX_REASON_CHARS = 300;

/** Spans that wait to be sent, about a kilobyte each; beyond it they are dropped. */
const MAX_WAITING_SPANS = 4096;
const SPANS_PER_EXPORT = 512;
/** How long a span may wait for others to be sent with. */
const EXPORT_INTERVAL_MS = 2000;
/** How long the collector may take for one export, with all attempts. */
const EXPORT_TIMEOUT_MS = 10_000;
/** How long the end of the process may wait for the last ones. */
const LAST_EXPORT_MS = 2000;
const MAX_ATTRIBUTES = 32;
const MAX_ATTRIBUTE_CHARS = 256;

/** Loads OpenTelemetry, and sends spans to the collector of the configuration. */
export function startTracing(config: NonNullable<Config["tracing"]>, parts: TracingParts): Tracing {
  const { logger, metrics, nodeId, bus } = parts;
  tellTroubles(logger, config.endpoint);
  const exporter = new OTLPTraceExporter({
    url: `${config.endpoint}/v1/traces`,
    headers: config.headers,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    concurrencyLimit: 2,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": config.serviceName,
      "service.version": manifest.version,
      "service.instance.id": nodeId,
      "host.name": hostname(),
      "process.pid": process.pid,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.sampleRatio) }),
    spanLimits: { attributeCountLimit: MAX_ATTRIBUTES, attributeValueLengthLimit: MAX_ATTRIBUTE_CHARS },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: counted(exporter, metrics),
        maxQueueSize: MAX_WAITING_SPANS,
        maxExportBatchSize: SPANS_PER_EXPORT,
        scheduledDelayMillis: EXPORT_INTERVAL_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer("fanfare", manifest.version);
  return {
    inRequest: requestSpans(tracer),
    middleware: callSpans(tracer),
    answerSpan: (action, context) => answerSpan(tracer, action, context),
    headersOf,
    ...publicationSpans(tracer, bus),
    commands: (events) => commandSpans(tracer, events),
    async stop() {
      const last = new AbortController();
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, delay(LAST_EXPORT_MS, undefined, { signal: last.signal }).catch(() => {})]);
      last.abort();
    },
  };
}

/** A trace begins with what a client asks of a gateway. What the client says of traces itself is not asked: it would decide what we keep. */
function requestSpans(tracer: Tracer): InRequest {
  return (request, work, outcomeOf) => {
    const { requestId, action, transport } = request;
    const span = tracer.startSpan(action, { kind: SpanKind.SERVER }, ROOT_CONTEXT);
    // What is not kept needs no spans: nothing of it is known further on.
    if (!span.isRecording()) return inRequestUntraced(request, work);
    span.setAttributes({
      ...attributesOf(action),
      "network.protocol.name": transport === "socket" ? "websocket" : "http",
      "fanfare.request.id": requestId,
    });
    return spanning(span, runInScope({ ...request, span }, work), outcomeOf);
  };
}

/** Counts the spans that the collector has taken, and those that it has not. */
function counted(exporter: SpanExporter, metrics: Registry): SpanExporter {
  const spans = new Counter({
    name: "fanfare_trace_spans_total",
    help: "Trace spans by outcome: 'exported' or 'failed'.",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  return {
    export(batch: ReadableSpan[], done) {
      exporter.export(batch, (result) => {
        spans.inc({ outcome: result.error === undefined ? "exported" : "failed" }, batch.length);
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** What OpenTelemetry complains of becomes a warning now and then: that traces cannot be sent is no trouble for anybody who chats. */
function tellTroubles(logger: Logger, endpoint: string): void {
  let nextAtMs = 0;
  let untold = 0;
  const tell = (reason: unknown): void => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) {
      untold += 1;
      return;
    }
    nextAtMs = nowMs + TELL_EVERY_MS;
    const fields = { collector: new URL(endpoint).host, reason: messageOf(reason), untold };
    untold = 0;
    // Whichever request it was that its spans were sent after.
    runInScope(undefined, () => logger.warn(fields, "trace export failed"));
  };
  const nothing = (): void => {};
  const told = { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(told, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** OpenTelemetry hands errors over as JSON. */
function messageOf(reason: unknown): string {
  const text = String(reason);
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  return message.slice(0, MAX_REASON_CHARS);
}
