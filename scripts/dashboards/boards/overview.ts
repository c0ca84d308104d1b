import type { Board } from "../dashboard.ts";
import { quantiles, rate, rateBy } from "../durations.ts";
import { processCharts } from "./process-charts.ts";

/** Answers that the server is to blame for; all others say that the caller asked for something that cannot be. */
const FAULTS = 'outcome=~"INTERNAL|UNAVAILABLE|OVERLOADED|STORAGE_FULL"';

export const overview: Board = {
  name: "overview",
  title: "Overview",
  description: "Whether Fanfare serves, how much, how fast, and with what its processes are busy.",
  sections: [
    {
      title: "Now",
      charts: [
        {
          kind: "stat",
          title: "Processes ready",
          description: "Processes whose /readyz says yes. Fewer than there are: see the alert.",
          queries: [{ expr: "sum(fanfare_ready{S})", legend: "ready" }],
          runbooks: ["FanfareNotReady"],
        },
        {
          kind: "stat",
          title: "Connections",
          description: "Sockets connected to all gateways.",
          queries: [{ expr: "sum(fanfare_connections{S})", legend: "sockets" }],
        },
        {
          kind: "stat",
          title: "Calls",
          description: "Calls from outside that were answered, in a second.",
          unit: "reqps",
          queries: [rate("fanfare_requests_total", "calls")],
        },
        {
          kind: "stat",
          title: "Faults",
          description: "Part of the calls answered with an error that the server is to blame for.",
          unit: "percentunit",
          queries: [
            {
              expr: `(sum(rate(fanfare_requests_total{S,${FAULTS}}[$__rate_interval])) or vector(0)) / sum(rate(fanfare_requests_total{S}[$__rate_interval]))`,
              legend: "faults",
            },
          ],
          steps: [
            { from: 0.001, color: "yellow" },
            { from: 0.01, color: "red" },
          ],
          runbooks: ["FanfareErrors"],
        },
        {
          kind: "stat",
          title: "Messages",
          description: "Messages that came onto the disk, in a second.",
          unit: "mps",
          queries: [rate("fanfare_messages_stored_total", "messages")],
        },
        {
          kind: "stat",
          title: "Slowest publication",
          description: "What the last socket of the slowest publication of the last minute waited (p100).",
          unit: "s",
          queries: [{ expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" }],
          steps: [
            { from: 0.25, color: "yellow" },
            { from: 1, color: "red" },
          ],
          runbooks: ["FanfareFanoutSlow"],
        },
        {
          kind: "table",
          title: "Alerts",
          description: "What is wrong by docker/monitoring/rules. Each has a runbook in docs/runbooks.md.",
          width: 24,
          queries: [
            {
              expr: 'ALERTS{alertname=~"Fanfare.+",alertstate="firing",cluster=~"$cluster",namespace=~"$namespace"}',
              legend: "{{alertname}}",
            },
          ],
        },
      ],
    },
    {
      title: "Traffic",
      charts: [
        {
          kind: "timeseries",
          title: "Connections",
          description: "Sockets by gateway.",
          stacked: true,
          queries: [{ expr: "sum by (instance) (fanfare_connections{S})", legend: "{{instance}}" }],
        },
        {
          kind: "timeseries",
          title: "Calls by outcome",
          description: "'ok', or the code of the error as in docs/errors.md.",
          unit: "reqps",
          stacked: true,
          queries: [rateBy("fanfare_requests_total", "outcome")],
        },
        {
          kind: "timeseries",
          title: "Time to answer a call",
          description: "From its arrival at the gateway to its successful answer.",
          unit: "s",
          queries: quantiles("fanfare_request_seconds"),
        },
        {
          kind: "timeseries",
          title: "Messages and deliveries",
          description: "Messages stored, and events written to sockets, in a second.",
          unit: "ops",
          queries: [
            rate("fanfare_messages_stored_total", "messages stored"),
            rate("fanfare_fanout_deliveries_total", "deliveries"),
          ],
        },
        {
          kind: "timeseries",
          title: "From a publication to its last socket",
          description: "p100 is the slowest publication of the last minute, not an estimate of a histogram.",
          unit: "s",
          queries: [
            ...quantiles("fanfare_fanout_seconds", [0.5, 0.99]),
            { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
          ],
          steps: [{ from: 1, color: "red" }],
          runbooks: ["FanfareFanoutSlow"],
        },
        {
          kind: "timeseries",
          title: "Time of a database command",
          description: "As the processes see it, the way there included.",
          unit: "s",
          queries: quantiles("fanfare_database_command_duration_seconds"),
          runbooks: ["FanfareDatabaseSlow"],
        },
      ],
    },
    { title: "Processes", charts: processCharts },
  ],
};
