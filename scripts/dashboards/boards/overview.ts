import type { Board } from "../dashboard.ts";
import { plot, stat, table } from "../panel.ts";
import { quantiles, rate, rateBy } from "../queries.ts";
import { processCharts } from "./process-charts.ts";

/** Answers that the server is to blame for; all others say that the caller asked for something that cannot be. */
const FAULTS = 'outcome=~"INTERNAL|UNAVAILABLE|OVERLOADED|STORAGE_FULL"';

export const overview: Board = {
  name: "overview",
  title: "Overview",
  description: "Whether Fanfare serves, how much, how fast, and with what its processes are busy.",
  sections: {
    Now: [
      stat(
        "Processes ready",
        "Processes whose /readyz says yes. Fewer than there are: see the alert.",
        { expr: "sum(fanfare_ready{S})", legend: "ready" },
        { runbooks: ["FanfareNotReady"] },
      ),
      stat("Connections", "Sockets connected to all gateways.", {
        expr: "sum(fanfare_connections{S})",
        legend: "sockets",
      }),
      stat(
        "Calls",
        "Calls from outside that were answered, in a second.",
        rate("fanfare_requests_total", "calls"),
        { unit: "reqps" },
      ),
      stat(
        "Faults",
        "Part of the calls answered with an error that the server is to blame for.",
        {
          expr: `(sum(rate(fanfare_requests_total{S,${FAULTS}}[$__rate_interval])) or vector(0)) / sum(rate(fanfare_requests_total{S}[$__rate_interval]))`,
          legend: "faults",
        },
        { unit: "percentunit", steps: { yellow: 0.001, red: 0.01 }, runbooks: ["FanfareErrors"] },
      ),
      stat(
        "Messages",
        "Messages that came onto the disk, in a second.",
        rate("fanfare_messages_stored_total", "messages"),
        { unit: "mps" },
      ),
      stat(
        "Slowest publication",
        "What the last socket of the slowest publication of the last minute waited (p100).",
        { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
        { unit: "s", steps: { yellow: 0.25, red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      table(
        "Alerts",
        "What is wrong by docker/monitoring/rules. Each has a runbook in docs/runbooks.md.",
        {
          expr: 'ALERTS{alertname=~"Fanfare.+",alertstate="firing",cluster=~"$cluster",namespace=~"$namespace"}',
          legend: "{{alertname}}",
        },
        { width: 24 },
      ),
    ],
    Traffic: [
      plot("Connections", "Sockets by gateway.", "sum by (instance) (fanfare_connections{S})", {
        stacked: true,
      }),
      plot(
        "Calls by outcome",
        "'ok', or the code of the error as in docs/errors.md.",
        rateBy("fanfare_requests_total", "outcome"),
        { unit: "reqps", stacked: true },
      ),
      plot(
        "Time to answer a call",
        "From its arrival at the gateway to its successful answer.",
        quantiles("fanfare_request_seconds"),
        { unit: "s" },
      ),
      plot(
        "Messages and deliveries",
        "Messages stored, and events written to sockets, in a second.",
        [
          rate("fanfare_messages_stored_total", "messages stored"),
          rate("fanfare_fanout_deliveries_total", "deliveries"),
        ],
        { unit: "ops" },
      ),
      plot(
        "From a publication to its last socket",
        "p100 is the slowest publication of the last minute, not an estimate of a histogram.",
        [
          ...quantiles("fanfare_fanout_seconds", [0.5, 0.99]),
          { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
        ],
        { unit: "s", steps: { red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      plot(
        "Time of a database command",
        "As the processes see it, the way there included.",
        quantiles("fanfare_database_command_duration_seconds"),
        { unit: "s", runbooks: ["FanfareDatabaseSlow"] },
      ),
    ],
    Processes: processCharts,
  },
};
