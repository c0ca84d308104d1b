import { overPasses, type Labels, type Metric } from "./metric.ts";
import type { Result } from "./result.ts";

/** One line per metric (RFC 4180), with a heading. */
export function csv(results: readonly Result[]): string {
  const head = ["command", "started", "metric", "labels", "value", "unit", "better"];
  const lines = results.flatMap(({ meta, metrics }) =>
    metrics.map(({ name, labels, value, unit, better }) =>
      [meta.command, meta.startedAt, name, labelText(labels), value, unit, better].map(csvField).join(","),
    ),
  );
  return `${[head.join(","), ...lines].join("\r\n")}\r\n`;
}

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");

function csvField(value: string | number | null): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** For a Pushgateway or the textfile collector: https://prometheus.io/docs/instrumenting/exposition_formats/. */
export function prometheusText(results: readonly Result[]): string {
  const samples = results.flatMap(({ meta, metrics }) =>
    overPasses(metrics).map((metric) => ({ metric, command: meta.command })),
  );
  const byName = Map.groupBy(
    samples,
    ({ metric }) => `bench_${metric.name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`,
  );
  return [...byName]
    .flatMap(([name, same]) => [
      `# HELP ${name} ${same[0]!.metric.label}`,
      `# TYPE ${name} gauge`,
      ...same.map(
        ({ metric, command }) =>
          `${name}${prometheusLabels({ command, ...metric.labels })} ${sampleValue(metric)}`,
      ),
    ])
    .join("\n")
    .concat("\n");
}

function prometheusLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key}="${String(value).replace(/["\\\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`))}"`,
  );
  return `{${pairs.join(",")}}`;
}

const sampleValue = ({ value }: Metric): string => (value === null ? "NaN" : String(value));
