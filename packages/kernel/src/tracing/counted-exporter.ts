import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { Counter, type Registry } from "../metrics.ts";

/** Counts the spans that the collector has taken, and those that it has not. */
export function counted(exporter: SpanExporter, metrics: Registry): SpanExporter {
  const spans = new Counter({
    name: "fanfare_trace_spans_total",
    help: "Spans of traces, by whether the collector has taken them ('exported') or not ('failed').",
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
