import { hasLabels, type Labels } from "../src/report/metric.ts";
import type { Result } from "../src/report/result.ts";

/**
 * The value of the metric with this name, and at least these labels; undefined: there is none.
 * @throws {Error} if there are several
 */
export function metricValue(result: Result, name: string, labels: Labels = {}): number | null | undefined {
  const found = result.metrics.filter((metric) => metric.name === name && hasLabels(metric, labels));
  if (found.length > 1)
    throw new Error(`${found.length} metrics ${name}: ${JSON.stringify(found.map((one) => one.labels))}`);
  return found[0]?.value;
}

/** Several values by name. */
export function metricValues(
  result: Result,
  names: readonly string[],
  labels: Labels = {},
): Record<string, number | null | undefined> {
  return Object.fromEntries(names.map((name) => [name, metricValue(result, name, labels)]));
}
