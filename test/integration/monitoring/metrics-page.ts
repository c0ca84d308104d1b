import type { Metric } from "./exposition.ts";

/** Labels of metrics and what bounds their values. */
export const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fanfare_action_duration_seconds: { action: "actions of the contract" },
  fanfare_action_errors_total: { action: "actions of the contract", code: "codes of errors.md" },
  fanfare_actions_active: { action: "actions of the contract" },
  fanfare_bot_callbacks_total: { outcome: "2 values" },
  fanfare_build_info: { version: "1 value", node_version: "1 value", engine: "3 values" },
  fanfare_bus_received_total: { reception: "5 values" },
  fanfare_calls_total: { action: "actions of the contract", where: "2 values" },
  fanfare_calls_unanswered_total: { action: "actions of the contract", reason: "2 values" },
  fanfare_database_failures_total: { kind: "3 values" },
  fanfare_disconnects_total: { reason: "Socket.IO's, about 10" },
  fanfare_jobs_dead: { kind: "kinds of jobs, about 20" },
  fanfare_jobs_overdue_seconds: { kind: "kinds of jobs, about 20" },
  fanfare_jobs_running: { kind: "kinds of jobs, about 20" },
  fanfare_jobs_total: { kind: "kinds of jobs, about 20", outcome: "4 values" },
  fanfare_jobs_waiting: { kind: "kinds of jobs, about 20" },
  fanfare_mails_total: { outcome: "2 values" },
  fanfare_pushes_total: { outcome: "5 values" },
  fanfare_refused_total: { reason: "codes of errors.md and 4 more" },
  fanfare_request_seconds: { action: "actions of the contract" },
  fanfare_requests_total: {
    action: "actions of the contract",
    transport: "2 values",
    outcome: "`ok` and the codes of errors.md",
  },
  fanfare_service_info: { service: "services" },
};

/** Those of prom-client that dashboards and alerts use, and one beside them. */
const OF_NODE = /^(process_|nodejs_(eventloop_lag_p99|gc_|heap_size))/;

const INTRODUCTION = `# Metrics

Each process tells its metrics at \`/metrics\` of its ops port (\`OPS_PORT\`, 3001), in Prometheus' text format. A gateway with threads adds
up those of its threads; of delays and of what is called \`max\` it tells the largest. Dashboards, alerts and runbooks are made of
them: [docker/monitoring](../docker/monitoring), [runbooks](runbooks.md).

**What is stable.** Name, type, unit and labels of everything that begins with \`fanfare_\` stay as they are within a major version; what goes
is first announced in the changelog, and stays beside its successor for one minor version. New metrics, new labels' values and other bounds
of buckets may come at any time: aggregate with \`sum by (…)\`, and match values that you know. What begins with \`process_\` or \`nodejs_\`
comes from [prom-client](https://github.com/siimon/prom-client) and follows its versions.

**Units** are Prometheus' base units and stand at the end of the name: \`_seconds\`, \`_bytes\`; counters end in \`_total\`, and what has no unit counts
things. **Labels** are bounded: none has an id, a name, an address or a text that somebody gave. \`nodejs_eventloop_lag_*\` is of the time
since the last look, whoever looked: let one Prometheus scrape.

This page is made from the metrics of a real gateway and a real worker:
\`vitest run --project integration test/integration/monitoring.test.ts -u\`.
`;

const unitOf = (name: string): string => {
  const base = name.replace(/_total$/, "");
  return base.endsWith("_seconds") ? "seconds" : base.endsWith("_bytes") ? "bytes" : "";
};

/**
 * The page that describes all metrics.
 * @param ofProcess by the role of the process
 */
export function metricsPage(ofProcess: ReadonlyMap<string, ReadonlyMap<string, Metric>>): string {
  const roles = (name: string): string[] =>
    [...ofProcess].filter(([, all]) => all.has(name)).map(([role]) => role);
  const all = new Map([...ofProcess.values()].flatMap((metrics) => [...metrics]));
  const table = (chosen: Metric[]): string =>
    [
      "| Metric | Type | Unit | Labels | Of | Meaning |",
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
    "## Fanfare's own\n",
    `${table(ours)}\n`,
    "`fanfare_redis_*` and `fanfare_nats_*` are there where Redis and NATS are configured, `fanfare_bus_*` besides in a process with threads.\n",
    "## Of the process\n",
    "Only those that dashboards and alerts use.\n",
    `${table(ofNode)}\n`,
  ].join("\n");
}
