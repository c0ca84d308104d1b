import type { ServerUsage } from "../../targets/target.ts";

const FETCH_TIMEOUT_MS = 5000;

/** Reads a server's Prometheus metrics; null if it doesn't answer. */
export async function metricsUsage(metricsUrl: string): Promise<ServerUsage | null> {
  try {
    const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok) return null;
    return usageOf(parsePrometheus(await response.text()));
  } catch {
    return null;
  }
}

/**
 * Names from prom-client's `collectDefaultMetrics`. Its event-loop lag counts from tick to tick of a timer, so
 * that the minimum is the timer's own period and no delay.
 */
function usageOf(samples: ReadonlyMap<string, number>): ServerUsage {
  const tick = samples.get("nodejs_eventloop_lag_min_seconds") ?? 0;
  const delayMs = (name: string) => {
    const seconds = samples.get(name);
    return seconds === undefined || Number.isNaN(seconds) ? null : Math.max(0, seconds - tick) * 1000;
  };
  return {
    rssBytes: samples.get("process_resident_memory_bytes") ?? null,
    cpuSeconds: samples.get("process_cpu_seconds_total") ?? null,
    eventLoopP99Ms: delayMs("nodejs_eventloop_lag_p99_seconds"),
    eventLoopMaxMs: delayMs("nodejs_eventloop_lag_max_seconds"),
  };
}

/** Samples by name; the values of several label sets are summed. */
export function parsePrometheus(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{.*\})? (\S+)/.exec(line);
    if (!match) continue;
    const [, name = "", value = ""] = match;
    samples.set(name, (samples.get(name) ?? 0) + Number(value));
  }
  return samples;
}
