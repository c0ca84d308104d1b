import type {
  BroadcastMeasurement,
  BurstResult,
  RoundResult,
} from "../kernels/broadcast/broadcast-summary.ts";
import { spread } from "../kernels/broadcast/percentiles.ts";
import {
  fields,
  metricNames,
  metrics,
  readMetrics,
  type Labels,
  type Metric,
  type MetricName,
  type MetricTable,
} from "../report/metric.ts";
import type { Distribution, Series } from "../report/result.ts";
import type { ServerUsage } from "../targets/target.ts";

const STALL_MS = 1000;
const STALL_FACTOR = 10;

/** Of what did not happen: interrupted before the first warm message, it is unknown, which other passes must not suffer from. */
const ofWarm =
  (of: (warm: BroadcastMeasurement["warm"]) => number | null | undefined) => (pass: BroadcastMeasurement) =>
    warmTimes(pass).length === 0 ? undefined : (of(pass.warm) ?? null);

const countsOf = ({ counts }: BroadcastMeasurement) => counts;
const serverOf = ({ server }: BroadcastMeasurement) => server;

const FIGURES: MetricTable<BroadcastMeasurement> = {
  worstMs: ofWarm(({ p100Ms }) => p100Ms?.max),
  medianMs: ofWarm(({ p100Ms }) => p100Ms?.median),
  coldMs: ({ cold }) => timeUnlessDisturbed(cold),
  firstMs: ({ first }) => timeUnlessDisturbed(first),
  bestMs: ofWarm(({ p100Ms }) => p100Ms?.min),
  p50Ms: ofWarm(({ latencyMs }) => latencyMs?.p50),
  p99Ms: ofWarm(({ latencyMs }) => latencyMs?.p99),
  p999Ms: ofWarm(({ latencyMs }) => latencyMs?.["p99.9"]),
  ackMs: ofWarm(({ ackMs }) => ackMs?.median),
  stalls: stallsOf,
  ...fields(countsOf, "lost", "duplicates", "outOfOrder", "corrupted"),
  unstored: ({ counts }) => (counts.stored === null ? undefined : counts.acknowledged - counts.stored),
  ...fields(countsOf, "storedTwice", "dropped"),
  ...fields(serverOf, "cpuMsPerMessage", "netCpuMsPerMessage", "idleCpuMsPerSecond"),
  cpuMicrosecondsPerDelivery: ({ server: { cpuMsPerMessage }, users }) =>
    cpuMsPerMessage === null ? undefined : (cpuMsPerMessage * 1000) / users,
  ...fields(serverOf, "rssPerConnectionBytes"),
  natsPerMessage: ({ server }) => server.natsPerMessage?.rooms,
  natsToIdleGateways: ({ server }) => server.natsPerMessage?.toIdleGateways,
  registrationsPerSecond: ({ registration }) => registration?.perSecond,
  connectsPerSecond: ({ connection }) => connection?.perSecond,
  onlineP99Ms: ({ connection }) => connection?.onlineMs?.p99,
};

/** Of several bursts of one size. */
const OF_BURSTS: MetricTable<readonly BurstResult[]> = {
  burstMs: (same) => medianUnlessLost(same, ({ allMs }) => allMs),
  burstPerSecond: (same) => medianUnlessLost(same, ({ deliveriesPerSecond }) => deliveriesPerSecond),
  burstPerCpuSecond: (same) =>
    medianUnlessLost(same, ({ deliveriesPerCpuSecond }) => deliveriesPerCpuSecond) ?? undefined,
};

const COUNTS: MetricTable<BroadcastMeasurement> = {
  ...fields(countsOf, "sent", "acknowledged", "stored", "expected", "received"),
  resyncs: ({ counts }) => counts.resyncs || undefined,
  foreign: ({ counts }) => counts.foreign || undefined,
};

/** At one moment. */
export const USAGE: MetricTable<ServerUsage | null> = {
  rssBytes: (usage) => usage?.rssBytes ?? undefined,
  loopDelayMaxMs: (usage) => usage?.eventLoopMaxMs ?? undefined,
};

type Generator = BroadcastMeasurement["generator"];
const TESTER: MetricTable<Generator> = {
  ...fields((load: Generator) => load, "receiverBusy", "receiverWaiting"),
  testerDelayMs: ({ longestDelayMs }) => longestDelayMs,
  disturbedMessages: ({ disturbed }) => disturbed,
  ...fields((load: Generator) => load, "otherProgramsCores"),
};

/** The metrics of a broadcast. */
export const BROADCAST_METRICS = metricNames(FIGURES, OF_BURSTS, USAGE, COUNTS, TESTER);

/** What a server used, by the moment. */
export function usageMetrics(moments: Record<string, ServerUsage | null>, labels: Labels): Metric[] {
  return Object.entries(moments).flatMap(([when, usage]) => readMetrics(USAGE, usage, { ...labels, when }));
}

/** One for each kind of process; none if they are unknown. */
export function metricsByProcess(
  name: MetricName,
  values: Readonly<Record<string, number>> | null | undefined,
  labels: Labels,
): Metric[] {
  return Object.entries(values ?? {}).flatMap(([process, value]) =>
    metrics({ [name]: value }, { ...labels, process }),
  );
}

/** Times in order. */
export function timePoints(
  label: string,
  x: string,
  times: readonly { y: number | null; kind?: string }[],
): Series {
  return { label, x, y: "ms", kind: "points", points: times.map((time, i) => ({ x: i + 1, ...time })) };
}

/** Of messages one by one. */
export const messagePoints = (times: readonly { y: number | null; kind?: string }[]): Series =>
  timePoints("Each message, time to the last member", "messages in order", times);

/** @param labels added to those of the server and the number of members */
export function broadcastMetrics(pass: BroadcastMeasurement, labels: Labels = {}): Metric[] {
  const { users, target, bursts, server, generator } = pass;
  const all = { members: users, server: target.name, ...labels };
  const moments = {
    "before connecting": server.beforeConnect,
    "all online, idle": server.connected,
    "after the messages": server.afterRounds,
    "after the bursts": server.afterBursts,
  };
  return [
    ...readMetrics(FIGURES, pass, all).map((metric) =>
      metric.name === "medianMs" ? { ...metric, samples: warmTimes(pass) } : metric,
    ),
    ...metricsByProcess("cpuMsPerMessage", server.cpuMsPerMessageByKind, all),
    ...[...Map.groupBy(bursts, ({ messages }) => messages)].flatMap(([burst, same]) =>
      readMetrics(OF_BURSTS, same, { ...all, burst }),
    ),
    ...readMetrics(COUNTS, pass, all),
    ...usageMetrics(moments, all),
    ...readMetrics(TESTER, generator, all),
  ];
}

function timeUnlessDisturbed(round: RoundResult | null): number | null | undefined {
  return round === null || round.isDisturbed ? undefined : round.p100Ms;
}

/** To the last member, of the warm messages that count. */
function warmTimes({ rounds, generator }: BroadcastMeasurement): (number | null)[] {
  return rounds
    .filter(({ kind, isDisturbed }) => kind === "warm" && (!isDisturbed || !generator.areLeftOut))
    .map(({ p100Ms }) => p100Ms);
}

/** Warm messages that some members had to wait for, though the others came quickly. A rank test ignores them when they are rare. */
function stallsOf({ rounds, warm }: BroadcastMeasurement): number {
  const limitMs = Math.max(STALL_MS, STALL_FACTOR * (warm.p100Ms?.median ?? 0));
  return rounds.filter(
    ({ kind, p100Ms, isDisturbed }) => kind === "warm" && !isDisturbed && p100Ms !== null && p100Ms > limitMs,
  ).length;
}

/** null if a delivery was lost: a median without it would make a worse server look better. undefined: nothing is known. */
function medianUnlessLost(
  all: readonly BurstResult[],
  of: (burst: BurstResult) => number | null,
): number | null | undefined {
  if (all.some(({ lost }) => lost > 0)) return null;
  const counted = all.filter(({ isLeftOut }) => !isLeftOut);
  return spread(counted.map(of).filter((value) => value !== null))?.median;
}

export function broadcastDistributions({ warm }: BroadcastMeasurement): Distribution[] {
  const label = "all deliveries of warm messages";
  return [{ label, unit: "ms", percentiles: warm.latencyMs, count: warm.deliveries }];
}

export function broadcastSeries({ rounds }: BroadcastMeasurement): Series[] {
  return [
    messagePoints(
      rounds.map(({ kind, p100Ms, isDisturbed }) => {
        return { y: p100Ms, kind: isDisturbed ? "disturbed by the tester" : kind };
      }),
    ),
  ];
}
