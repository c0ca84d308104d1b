import type { Metric } from "./exposition.ts";

/** Labels of metrics and what limits their values. */
export const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fanfare_action_duration_seconds: { action: "API actions" },
  fanfare_action_errors_total: { action: "API actions", code: "error codes" },
  fanfare_actions_active: { action: "API actions" },
  fanfare_bot_callbacks_total: { outcome: "2 values" },
  fanfare_build_info: { version: "1 value", node_version: "1 value", engine: "3 values" },
  fanfare_bus_received_total: { reception: "5 values" },
  fanfare_calls_total: { action: "API actions", where: "2 values" },
  fanfare_calls_unanswered_total: { action: "API actions", reason: "2 values" },
  fanfare_database_failures_total: { kind: "3 values" },
  fanfare_disconnects_total: { reason: "about 10 reasons of Socket.IO" },
  fanfare_jobs_dead: { kind: "about 20 kinds of jobs" },
  fanfare_jobs_overdue_seconds: { kind: "about 20 kinds of jobs" },
  fanfare_jobs_running: { kind: "about 20 kinds of jobs" },
  fanfare_jobs_total: { kind: "about 20 kinds of jobs", outcome: "4 values" },
  fanfare_jobs_waiting: { kind: "about 20 kinds of jobs" },
  fanfare_mails_total: { outcome: "3 values" },
  fanfare_plugin_events_dropped_total: { plugin: "installed plug-ins" },
  fanfare_pushes_total: { outcome: "5 values" },
  fanfare_refused_total: { reason: "error codes and 4 more" },
  fanfare_request_seconds: { action: "API actions" },
  fanfare_requests_total: {
    action: "API actions",
    transport: "2 values",
    outcome: "`ok` and the error codes",
  },
  fanfare_service_info: { service: "services" },
};

/** Metrics of prom-client that dashboards and alerts use. */
const OF_NODE = /^(process_|nodejs_(eventloop_lag_p99|gc_))/;

const INTRODUCTION = `# Metrics

Each process serves its metrics at \`/metrics\` on \`OPS_PORT\` (3001) in Prometheus' text format. Let Prometheus collect them about every 15 seconds.

- With Docker Compose, the profile \`monitoring\` starts Prometheus and Grafana. See [Docker](docker.md#optional-services).
- On Kubernetes, set \`metrics.monitor\`, \`metrics.rules\` and \`metrics.dashboards\` of the chart. See [Kubernetes](kubernetes.md#what-to-know).
- Elsewhere, add each process to \`scrape_configs\` of Prometheus, load the alerts from \`docker/monitoring/rules/fanfare.yaml\`, and import the dashboards from \`docker/monitoring/dashboards/\` into Grafana:

  \`\`\`yaml
  scrape_configs:
    - job_name: fanfare
      static_configs: [{ targets: ["127.0.0.1:3001"] }]
  \`\`\`

  If Prometheus runs on another machine, set \`OPS_HOST\` to a private address and restart.

The [runbooks](runbooks.md) say what to do about each alert.

A gateway adds up the metrics of its threads, or reports the largest of delays, ratios and metrics with \`max\` in their name.

## Stability

Name, type, unit and labels of metrics that start with \`fanfare_\` don't change within a major version. A removed metric is announced in the changelog, and
remains for one minor version.

New metrics, label values and histogram buckets can appear at any time. So query with \`sum by (…)\` and label values that you know.

Metrics that start with \`process_\` or \`nodejs_\` come from [prom-client](https://github.com/siimon/prom-client).

Label values never contain IDs, names, addresses or texts of users.
`;

const unitOf = (name: string): string => {
  const base = name.replace(/_total$/, "");
  return base.endsWith("_seconds") ? "seconds" : base.endsWith("_bytes") ? "bytes" : "";
};

/**
 * The page that describes all metrics. To update it: `vitest run --project integration test/integration/monitoring.test.ts -u`.
 * @param ofProcess by the role of the process
 */
export function metricsPage(ofProcess: ReadonlyMap<string, ReadonlyMap<string, Metric>>): string {
  const roles = (name: string): string[] =>
    [...ofProcess].filter(([, all]) => all.has(name)).map(([role]) => role);
  const all = new Map([...ofProcess.values()].flatMap((metrics) => [...metrics]));
  const table = (chosen: Metric[]): string =>
    [
      "| Metric | Type | Unit | Labels | Process | Meaning |",
      "| --- | --- | --- | --- | --- | --- |",
      ...chosen
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, type, help }) => {
          const labels = Object.entries(LABELS[name] ?? {}).map(
            ([label, values]) => `\`${label}\` (${values})`,
          );
          const of = roles(name).length === ofProcess.size ? "all" : roles(name).join(", ");
          return `| \`${name}\` | ${type} | ${unitOf(name)} | ${labels.join(", ")} | ${of} | ${help} |`;
        }),
    ].join("\n");
  const ours = [...all.values()].filter(({ name }) => name.startsWith("fanfare_"));
  const ofNode = [...all.values()].filter(({ name }) => OF_NODE.test(name));
  return [
    INTRODUCTION,
    "## Metrics of Fanfare\n",
    `${table(ours)}\n`,
    "`fanfare_redis_*`, `fanfare_nats_*` and `fanfare_bus_dropped_total` require Redis and NATS; the other `fanfare_bus_*` also exist in a process with threads. With traces, `fanfare_trace_spans_total` counts exported and failed spans.\n",
    "## Metrics of the process\n",
    "Only those used by dashboards and alerts.\n",
    `${table(ofNode)}\n`,
  ].join("\n");
}
