import type { LoadMeasurement } from "./load-result.ts";

/** Metrics for --threshold of the load commands. */
export const LOAD_METRICS = [
  "p50",
  "p90",
  "p99",
  "p100",
  "deliveredP50",
  "deliveredP99",
  "deliveredP100",
  "acknowledgedPerSecond",
  "acknowledgedPerCpuSecond",
  "deliveriesPerSecond",
  "deliveriesPerCpuSecond",
  "receivedShare",
  "lost",
  "duplicates",
  "outOfOrder",
  "corrupted",
  "unstored",
  "storedTwice",
  "missed",
  "refused",
  "unanswered",
  "dropped",
  "verdicts",
] as const;

type MetricSources = Pick<LoadMeasurement, "ack" | "lastDelivery" | "rates" | "counts" | "generator">;

/**
 * p50 to p100: time to the answer. delivered…: time of each message to its last connection. Null if it never
 * arrived.
 */
export function loadMetrics(load: MetricSources): Record<(typeof LOAD_METRICS)[number], number | null> {
  const { ack, lastDelivery, rates, counts, generator } = load;
  return {
    p50: ack.latencyMs?.p50 ?? null,
    p90: ack.latencyMs?.p90 ?? null,
    p99: ack.latencyMs?.p99 ?? null,
    p100: ack.latencyMs?.p100 ?? null,
    deliveredP50: lastDelivery?.latencyMs?.p50 ?? null,
    deliveredP99: lastDelivery?.latencyMs?.p99 ?? null,
    deliveredP100: lastDelivery?.latencyMs?.p100 ?? null,
    acknowledgedPerSecond: rates.acknowledgedPerSecond,
    acknowledgedPerCpuSecond: rates.acknowledgedPerCpuSecond,
    deliveriesPerSecond: rates.deliveriesPerSecond,
    deliveriesPerCpuSecond: rates.deliveriesPerCpuSecond,
    receivedShare: rates.receivedShare,
    lost: counts.lost,
    duplicates: counts.duplicates,
    outOfOrder: counts.outOfOrder ?? null,
    corrupted: counts.corrupted ?? null,
    unstored: counts.unstored,
    storedTwice: counts.storedTwice,
    missed: counts.missed,
    refused: counts.refused,
    unanswered: counts.unanswered,
    dropped: counts.dropped,
    verdicts: generator.verdicts.length,
  };
}
