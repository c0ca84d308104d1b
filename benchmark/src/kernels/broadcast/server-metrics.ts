import type { ServerUsage } from "../../targets/target.ts";

/** Messages that nats-server has delivered to the processes so far. */
export interface NatsTraffic {
  /** Publications to rooms, one per receiving gateway. */
  rooms: number;
  /** Publications received by each gateway, ascending. */
  perGateway: number[];
}

interface Connection {
  subscriptions_list_detail?: { subject: string; msgs?: number }[];
}

const FETCH_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1024;
/** The subjects of packages/fanout. */
const FANOUT = /^fanfare\./;
const ROOM = /^fanfare\.(?:room\.|all$)/;

/**
 * Reads nats-server's own count for each subscription, `/connz` of its monitoring port. Source: docs.nats.io,
 * "Monitoring", Connection Information.
 * @returns null if it doesn't answer
 */
export async function readNatsTraffic(monitorUrl: string): Promise<NatsTraffic | null> {
  try {
    const url = new URL(`/connz?subs=detail&limit=${MAX_CONNECTIONS}`, monitorUrl);
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const { connections = [] } = (await response.json()) as { connections?: Connection[] };
    return trafficOf(connections);
  } catch {
    return null;
  }
}

export function trafficOf(connections: readonly Connection[]): NatsTraffic {
  const traffic: NatsTraffic = { rooms: 0, perGateway: [] };
  for (const { subscriptions_list_detail: subscriptions = [] } of connections) {
    const ofRooms = subscriptions.filter(({ subject }) => ROOM.test(subject));
    const rooms = ofRooms.reduce((sum, { msgs = 0 }) => sum + msgs, 0);
    traffic.rooms += rooms;
    if (subscriptions.some(({ subject }) => FANOUT.test(subject))) traffic.perGateway.push(rooms);
  }
  traffic.perGateway.sort((a, b) => a - b);
  return traffic;
}

/** A sample of a server's metrics. */
export interface MetricSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Source: Prometheus text exposition format 0.0.4. Our label values contain no quotes. */
export function parseMetrics(text: string): MetricSample[] {
  return text.split("\n").flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match) return [];
    const [, name = "", labelText = "", value = ""] = match;
    const labels = Object.fromEntries(
      [...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text_]) => [label!, text_!]),
    );
    return [{ name, labels, value: Number(value) }];
  });
}

/** @throws {Error} if the server doesn't answer */
export async function fetchMetrics(url: string): Promise<MetricSample[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}.`);
  return parseMetrics(await response.text());
}

/** Reads what a server uses from its metrics; null if it doesn't answer. */
export async function metricsUsage(metricsUrl: string): Promise<ServerUsage | null> {
  try {
    return usageOf(await fetchMetrics(metricsUrl));
  } catch {
    return null;
  }
}

/**
 * Names from prom-client's `collectDefaultMetrics`. Its event-loop lag counts from tick to tick of a timer, so
 * that the minimum is the timer's own period and no delay. Fanfare also has the exact maximum.
 */
function usageOf(samples: readonly MetricSample[]): ServerUsage {
  const read = (wanted: string) =>
    samples.some(({ name }) => name === wanted) ? sumOf(samples, wanted) : undefined;
  const tick = read("nodejs_eventloop_lag_min_seconds") ?? 0;
  const lag = Math.max(0, (read("nodejs_eventloop_lag_max_seconds") ?? NaN) - tick);
  const longest = read("fanfare_event_loop_max_seconds") ?? lag;
  return {
    rssBytes: read("process_resident_memory_bytes") ?? null,
    cpuSeconds: read("process_cpu_seconds_total") ?? null,
    eventLoopMaxMs: Number.isNaN(longest) ? null : longest * 1000,
  };
}

/** The sum of all samples of this name with these labels; 0 without any. */
export function sumOf(
  samples: readonly MetricSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

export interface HistogramChange {
  count: number;
  meanMs: number | null;
  /** Upper bound of the bucket with the p99; null: beyond the last bucket, or no observations. */
  p99BelowMs: number | null;
}

/** What a histogram of seconds has counted between two samples. */
export function histogramChange(
  before: readonly MetricSample[],
  after: readonly MetricSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): HistogramChange {
  const change = (suffix: string, more: Readonly<Record<string, string>> = {}) => {
    const all = { ...labels, ...more };
    return sumOf(after, name + suffix, all) - sumOf(before, name + suffix, all);
  };
  const count = change("_count");
  const ends = new Set(
    after.filter((sample) => sample.name === `${name}_bucket`).map(({ labels: { le } }) => le ?? ""),
  );
  const enough = [...ends]
    .filter((le) => le !== "+Inf" && change("_bucket", { le }) >= 0.99 * count)
    .map(Number)
    .sort((a, b) => a - b);
  return {
    count,
    meanMs: count === 0 ? null : (change("_sum") / count) * 1000,
    p99BelowMs: count === 0 || enough[0] === undefined ? null : enough[0] * 1000,
  };
}
