/** A metric as exposed on /metrics. */
export interface Metric {
  name: string;
  help: string;
  type: string;
  /** Label names of its samples, without the `le` of histogram buckets. */
  labels: Set<string>;
}

/** Parses Prometheus' text format as prom-client writes it. */
export function parseExposition(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  let current: Metric | undefined;
  for (const line of text.split("\n")) {
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") {
      current = { name: name!, help: rest!, type: "", labels: new Set() };
      metrics.set(name!, current);
    } else if (kind === "TYPE") current!.type = rest!;
    else {
      const labels = /^\w+\{(.*)\} /.exec(line)?.[1] ?? "";
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g))
        if (label !== "le") current?.labels.add(label);
    }
  }
  return metrics;
}
