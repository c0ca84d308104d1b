import type { Board } from "../dashboard.ts";
import { type Chart, PERCENT, plot, stat, table } from "../panel.ts";
import { quantiles, rate, rateBy } from "../queries.ts";

/** What every process has, whatever it hosts. */
const processCharts: readonly Chart[] = [
  plot(
    "Processor",
    "Cores in use. A worker runs on one, with a little more for garbage collection; a gateway with threads on several.",
    "sum by (instance) (rate(process_cpu_seconds_total{S}[$__rate_interval]))",
  ),
  plot(
    "Memory",
    "Part of what the container, or the machine, has.",
    "process_resident_memory_bytes{S} / fanfare_memory_limit_bytes{S}",
    { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareMemoryNearLimit"] },
  ),
  plot(
    "Heap",
    "Part of the heap that V8 allows the main thread.",
    "nodejs_heap_size_used_bytes{S} / nodejs_heap_size_limit_bytes{S}",
    { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareMemoryNearLimit"] },
  ),
  plot(
    "Delay of the event loop (p99)",
    "How late timers run: everything in the process waits as long. Of several threads the slowest.",
    "nodejs_eventloop_lag_p99_seconds{S}",
    { unit: "s", steps: { red: 0.25 }, runbooks: ["FanfareEventLoopBlocked"] },
  ),
  plot(
    "Garbage collection",
    "Part of the time that it takes, all threads added up.",
    "sum by (instance) (rate(nodejs_gc_duration_seconds_sum{S}[$__rate_interval]))",
    { unit: "percentunit" },
  ),
  plot(
    "File descriptors",
    "Part of the limit (ulimit -n) in use. A connection takes one.",
    "process_open_fds{S} / process_max_fds{S}",
    { ...PERCENT, steps: { red: 0.9 }, runbooks: ["FanfareFileDescriptorsNearLimit"] },
  ),
  plot("Uptime", "Since the start of each process.", "time() - process_start_time_seconds{S}", {
    unit: "s",
    runbooks: ["FanfareRestarting"],
  }),
  table(
    "Versions",
    "What runs where. Two versions at once: an update is under way.",
    "fanfare_build_info{S}",
  ),
];

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
        "What is wrong by docker/monitoring/rules. Each has a runbook in docs/run/runbooks.md.",
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
