import type { Chart } from "../panel.ts";

/** What every process has, whatever it hosts. */
export const processCharts: readonly Chart[] = [
  {
    kind: "timeseries",
    title: "Processor",
    description:
      "Cores in use. A worker runs on one, with a little more for garbage collection; a gateway with threads on several.",
    queries: [
      {
        expr: "sum by (instance) (rate(process_cpu_seconds_total{S}[$__rate_interval]))",
        legend: "{{instance}}",
      },
    ],
  },
  {
    kind: "timeseries",
    title: "Memory",
    description: "Part of what the container, or the machine, has.",
    unit: "percentunit",
    min: 0,
    max: 1,
    queries: [
      { expr: "process_resident_memory_bytes{S} / fanfare_memory_limit_bytes{S}", legend: "{{instance}}" },
    ],
    steps: [{ from: 0.9, color: "red" }],
    runbooks: ["FanfareMemoryNearLimit"],
  },
  {
    kind: "timeseries",
    title: "Heap",
    description: "Part of the heap that V8 allows the main thread.",
    unit: "percentunit",
    min: 0,
    max: 1,
    queries: [
      { expr: "nodejs_heap_size_used_bytes{S} / nodejs_heap_size_limit_bytes{S}", legend: "{{instance}}" },
    ],
    steps: [{ from: 0.9, color: "red" }],
    runbooks: ["FanfareMemoryNearLimit"],
  },
  {
    kind: "timeseries",
    title: "Delay of the event loop (p99)",
    description:
      "How late timers run: everything in the process waits as long. Of several threads the slowest.",
    unit: "s",
    queries: [{ expr: "nodejs_eventloop_lag_p99_seconds{S}", legend: "{{instance}}" }],
    steps: [{ from: 0.25, color: "red" }],
    runbooks: ["FanfareEventLoopBlocked"],
  },
  {
    kind: "timeseries",
    title: "Garbage collection",
    description: "Part of the time that it takes, all threads added up.",
    unit: "percentunit",
    queries: [
      {
        expr: "sum by (instance) (rate(nodejs_gc_duration_seconds_sum{S}[$__rate_interval]))",
        legend: "{{instance}}",
      },
    ],
  },
  {
    kind: "timeseries",
    title: "File descriptors",
    description: "Part of the limit (ulimit -n) in use. A connection takes one.",
    unit: "percentunit",
    min: 0,
    max: 1,
    queries: [{ expr: "process_open_fds{S} / process_max_fds{S}", legend: "{{instance}}" }],
    steps: [{ from: 0.9, color: "red" }],
    runbooks: ["FanfareFileDescriptorsNearLimit"],
  },
  {
    kind: "timeseries",
    title: "Uptime",
    description: "Since the start of each process.",
    unit: "s",
    queries: [{ expr: "time() - process_start_time_seconds{S}", legend: "{{instance}}" }],
    runbooks: ["FanfareRestarting"],
  },
  {
    kind: "table",
    title: "Versions",
    description: "What runs where. Two versions at once: an update is under way.",
    queries: [{ expr: "fanfare_build_info{S}", legend: "{{instance}}" }],
  },
];
