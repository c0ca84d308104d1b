import type { Board } from "../dashboard.ts";
import { type Chart, PERCENT, plot, stat, table } from "../panel.ts";
import { quantiles, rate, rateBy } from "../queries.ts";

/** Charts for every kind of process. */
const processCharts: readonly Chart[] = [
  plot(
    "CPU",
    "CPU cores in use. A worker uses about one; a gateway with threads uses several.",
    "sum by (instance) (rate(process_cpu_seconds_total{S}[$__rate_interval]))",
  ),
  plot(
    "Memory",
    "Memory used, as a fraction of the container's or machine's memory.",
    "process_resident_memory_bytes{S} / fanfare_memory_limit_bytes{S}",
    { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareMemoryNearLimit"] },
  ),
  plot(
    "Heap",
    "Heap used, as a fraction of the main thread's limit.",
    "nodejs_heap_size_used_bytes{S} / nodejs_heap_size_limit_bytes{S}",
    { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareMemoryNearLimit"] },
  ),
  plot(
    "Event loop delay (p99)",
    "How late timers run. Everything in the process waits that long. With threads, the slowest one.",
    "nodejs_eventloop_lag_p99_seconds{S}",
    { unit: "s", steps: { red: 0.25 }, runbooks: ["FanfareEventLoopBlocked"] },
  ),
  plot(
    "Garbage collection",
    "Fraction of time spent on garbage collection, all threads together.",
    "sum by (instance) (rate(nodejs_gc_duration_seconds_sum{S}[$__rate_interval]))",
    { unit: "percentunit" },
  ),
  plot(
    "File descriptors",
    "Open file descriptors, as a fraction of the limit (ulimit -n). Each connection uses one.",
    "process_open_fds{S} / process_max_fds{S}",
    { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareFileDescriptorsNearLimit"] },
  ),
  plot("Uptime", "Time since each process started.", "time() - process_start_time_seconds{S}", {
    unit: "s",
    runbooks: ["FanfareRestarting"],
  }),
  table(
    "Versions",
    "The version of each process. Two versions at once: an upgrade is in progress.",
    "fanfare_build_info{S}",
  ),
];

/** Errors caused by the server; all others are caused by the request. */
const FAULTS = 'outcome=~"INTERNAL|UNAVAILABLE|OVERLOADED|STORAGE_FULL"';

export const overview: Board = {
  name: "overview",
  title: "Overview",
  description: "Whether Fanfare works, how much it does and how fast, and the state of its processes.",
  sections: {
    Now: [
      stat(
        "Processes ready",
        "Processes that report ready on /readyz.",
        { expr: "sum(fanfare_ready{S})", legend: "ready" },
        { runbooks: ["FanfareNotReady"] },
      ),
      stat("Connections", "Sockets connected to all gateways.", {
        expr: "sum(fanfare_connections{S})",
        legend: "sockets",
      }),
      stat(
        "Calls",
        "Calls from clients that were answered, per second.",
        rate("fanfare_requests_total", "calls"),
        { unit: "reqps" },
      ),
      stat(
        "Server errors",
        "Fraction of calls that failed because of the server.",
        {
          expr: `(sum(rate(fanfare_requests_total{S,${FAULTS}}[$__rate_interval])) or vector(0)) / sum(rate(fanfare_requests_total{S}[$__rate_interval]))`,
          legend: "errors",
        },
        { unit: "percentunit", steps: { yellow: 0.001, red: 0.01 }, runbooks: ["FanfareErrors"] },
      ),
      stat("Messages", "Messages stored, per second.", rate("fanfare_messages_stored_total", "messages"), {
        unit: "mps",
      }),
      stat(
        "Slowest fan-out",
        "Longest time in the last minute from an event to its last socket (p100).",
        { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
        { unit: "s", steps: { yellow: 0.25, red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      table(
        "Alerts",
        "Alerts that fire. Each has a runbook in docs/run/runbooks.md.",
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
        "'ok', or the code of the error as in docs/build/errors.md.",
        rateBy("fanfare_requests_total", "outcome"),
        { unit: "reqps", stacked: true },
      ),
      plot(
        "Call duration",
        "From the arrival at the gateway to the successful answer.",
        quantiles("fanfare_request_seconds"),
        { unit: "s" },
      ),
      plot(
        "Messages and deliveries",
        "Messages stored and events written to sockets, per second.",
        [
          rate("fanfare_messages_stored_total", "messages stored"),
          rate("fanfare_fanout_deliveries_total", "deliveries"),
        ],
        { unit: "ops" },
      ),
      plot(
        "Fan-out time",
        "From an event to the write to its last socket. p100 is measured: the slowest event of the last minute.",
        [
          ...quantiles("fanfare_fanout_seconds", [0.5, 0.99]),
          { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
        ],
        { unit: "s", steps: { red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      plot(
        "Database command duration",
        "As measured by Fanfare, including the network.",
        quantiles("fanfare_database_command_duration_seconds"),
        { unit: "s", runbooks: ["FanfareDatabaseSlow"] },
      ),
    ],
    Processes: processCharts,
  },
};
