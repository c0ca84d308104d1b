import { spread } from "../measure/percentiles.ts";
import type { BroadcastMeasurement } from "./result.ts";

/** Metrics for --threshold of a broadcast. Times in milliseconds. */
export const BROADCAST_METRICS = [
  "worst",
  "median",
  "p99.9",
  "p99",
  "p95",
  "p90",
  "p75",
  "p50",
  "cold",
  "ack",
  "lost",
  "duplicates",
  "outOfOrder",
  "corrupted",
  "dropped",
  "unstored",
  "storedTwice",
  "registrationsPerSecond",
  "connectsPerSecond",
  "rssPerConnectionKiB",
  "burstMs",
  "burstDeliveriesPerCpuSecond",
] as const;

/**
 * `worst` and `median` are times to the last member, of the slowest and of the median warm message. Percentiles are over all
 * deliveries of warm messages.
 */
export function broadcastMetrics(
  result: BroadcastMeasurement,
): Record<(typeof BROADCAST_METRICS)[number], number | null> {
  const { warm, cold, counts, bursts, server } = result;
  const isComplete = result.rounds.every((round) => round.p100Ms !== null);
  const latency = warm.latencyMs;
  const burstTimes = bursts.map((burst) => burst.allMs);
  return {
    worst: isComplete ? (warm.p100Ms?.max ?? null) : null,
    median: isComplete ? (warm.p100Ms?.median ?? null) : null,
    "p99.9": latency?.["p99.9"] ?? null,
    p99: latency?.p99 ?? null,
    p95: latency?.p95 ?? null,
    p90: latency?.p90 ?? null,
    p75: latency?.p75 ?? null,
    p50: latency?.p50 ?? null,
    cold: cold?.p100Ms ?? null,
    ack: warm.ackMs?.max ?? null,
    lost: counts.lost,
    duplicates: counts.duplicates,
    outOfOrder: counts.outOfOrder,
    corrupted: counts.corrupted ?? null,
    dropped: counts.dropped,
    unstored: counts.stored === null ? null : counts.acknowledged - counts.stored,
    storedTwice: counts.storedTwice ?? null,
    registrationsPerSecond: result.registration?.perSecond ?? null,
    connectsPerSecond: result.connection?.perSecond ?? null,
    rssPerConnectionKiB: server.rssPerConnectionBytes === null ? null : server.rssPerConnectionBytes / 1024,
    burstMs: burstTimes.includes(null)
      ? null
      : (spread(burstTimes.filter((time) => time !== null))?.max ?? null),
    burstDeliveriesPerCpuSecond:
      spread(bursts.map((burst) => burst.deliveriesPerCpuSecond).filter((rate) => rate !== null))?.min ??
      null,
  };
}
