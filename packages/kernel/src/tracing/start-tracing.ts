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
import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import { Counter, type Registry } from "../metrics.ts";
import { PROGRAM_VERSION } from "../program-version.ts";
import { runInScope } from "../request-scope.ts";
import { answerSpan, attributesOf, callSpans, commandSpans, headersOf, publicationSpans } from "./spans.ts";
import { endWith } from "./span-helpers.ts";
import { inRequestUntraced, type InRequest, type Tracing, type TracingParts } from "./tracing.ts";

/** Minimum interval between warnings about an unreachable collector. */
const REPORT_EVERY_MS = 60_000;

const MAX_REASON_CHARS = 300;

/** Maximum number of buffered spans, about 1 kB each; further ones are dropped. */
const MAX_WAITING_SPANS = 4096;
const SPANS_PER_EXPORT = 512;
/** Maximum delay before a batch of spans is sent. */
const EXPORT_INTERVAL_MS = 2000;
/** Timeout for one export, including retries. */
const EXPORT_TIMEOUT_MS = 10_000;
/** Timeout for the last export when the process stops. */
const LAST_EXPORT_MS = 2000;
const MAX_ATTRIBUTES = 32;
const MAX_ATTRIBUTE_CHARS = 256;

/** Loads OpenTelemetry and exports spans to the configured collector. */
export function startTracing(config: NonNullable<Config["tracing"]>, parts: TracingParts): Tracing {
  const { logger, metrics, nodeId, bus } = parts;
  logExportErrors(logger, config.endpoint);
  const exporter = new OTLPTraceExporter({
    url: `${config.endpoint}/v1/traces`,
    headers: config.headers,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    concurrencyLimit: 2,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": config.serviceName,
      "service.version": PROGRAM_VERSION,
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
  const tracer = provider.getTracer("fanfare", PROGRAM_VERSION);
  return {
    inRequest: requestSpans(tracer),
    middleware: callSpans(tracer),
    answerSpan: (action, context) => answerSpan(tracer, action, context),
    headersOf,
    ...publicationSpans(tracer, bus),
    commands: (events) => commandSpans(tracer, events),
    async stop() {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, delay(LAST_EXPORT_MS, undefined, { ref: false })]);
    },
  };
}

/** Traces start at the gateway. Trace headers of clients are ignored, because clients must not decide what is sampled. */
function requestSpans(tracer: Tracer): InRequest {
  return (request, work, outcomeOf) => {
    const { requestId, action, transport } = request;
    const span = tracer.startSpan(action, { kind: SpanKind.SERVER }, ROOT_CONTEXT);
    // Requests that are not sampled need no spans and are not propagated.
    if (!span.isRecording()) return inRequestUntraced(request, work);
    span.setAttributes({
      ...attributesOf(action),
      "network.protocol.name": transport === "socket" ? "websocket" : "http",
      "fanfare.request.id": requestId,
    });
    return endWith(span, runInScope({ ...request, span }, work), outcomeOf);
  };
}

/** Counts exported and failed spans. */
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

/** Logs errors of OpenTelemetry as throttled warnings: failed exports do not affect users. */
function logExportErrors(logger: Logger, endpoint: string): void {
  let nextAtMs = 0;
  let suppressed = 0;
  const report = (reason: unknown): void => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) {
      suppressed += 1;
      return;
    }
    nextAtMs = nowMs + REPORT_EVERY_MS;
    const fields = { collector: new URL(endpoint).host, reason: messageOf(reason), suppressed };
    suppressed = 0;
    // The failure belongs to no particular request.
    runInScope(undefined, () => logger.warn(fields, "trace export failed"));
  };
  const nothing = (): void => {};
  const diagLogger = { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(diagLogger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** OpenTelemetry passes errors as JSON. */
function messageOf(reason: unknown): string {
  const text = String(reason);
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  return message.slice(0, MAX_REASON_CHARS);
}
