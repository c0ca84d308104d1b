import type { Metric } from "../src/report/metric.ts";
import { RESULT_VERSION, type Result } from "../src/report/result.ts";

/** A result of a broadcast with these metrics, for tests. */
export function resultOf(metrics: readonly Metric[]): Result {
  return {
    version: RESULT_VERSION,
    meta: {
      command: "broadcast",
      title: "Broadcast to 20 members",
      subtitle: ["ws, started for this run"],
      startedAt: "2026-01-02T03:04:05.678Z",
      durationMs: 1000,
      interrupted: false,
      options: {},
      environment: {
        os: "Linux",
        cpu: "some CPU",
        cores: 2,
        memoryBytes: 1,
        openFilesLimit: null,
        portRange: null,
        node: "v26",
        commit: null,
      },
    },
    metrics,
    distributions: [],
    series: [],
    tables: [],
    caveats: [],
    errors: [],
    thresholds: [],
  };
}
