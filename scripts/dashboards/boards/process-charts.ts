import { PERCENT, plot, table, type Chart } from "../panel.ts";

/** What every process has, whatever it hosts. */
export const processCharts: readonly Chart[] = [
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
