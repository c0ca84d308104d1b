import { spread } from "../kernels/broadcast/percentiles.ts";
import type { BroadcastMeasurement, BurstResult } from "../kernels/broadcast/broadcast-result.ts";
import { metrics, type Labels, type Metric, type MetricName } from "../report/metric.ts";
import type { Distribution, Series } from "../report/result.ts";

/** The metrics of a broadcast. */
export const BROADCAST_METRICS = [
  "worstMs",
  "medianMs",
  "bestMs",
  "coldMs",
  "firstMs",
  "p50Ms",
  "p99Ms",
  "p999Ms",
  "ackMs",
  "stalls",
  "burstMs",
  "burstPerSecond",
  "burstPerCpuSecond",
  "registrationsPerSecond",
  "connectsPerSecond",
  "onlineP99Ms",
  "cpuMsPerMessage",
  "netCpuMsPerMessage",
  "idleCpuMsPerSecond",
  "cpuMicrosecondsPerDelivery",
  "rssPerConnectionBytes",
  "rssBytes",
  "loopDelayMaxMs",
  "natsPerMessage",
  "natsToIdleGateways",
  "lost",
  "duplicates",
  "outOfOrder",
  "corrupted",
  "unstored",
  "storedTwice",
  "dropped",
  "sent",
  "acknowledged",
  "stored",
  "expected",
  "received",
  "resyncs",
  "foreign",
  "receiverBusy",
  "receiverWaiting",
  "testerDelayMs",
  "disturbedMessages",
  "otherProgramsCores",
  "testerCpuSeconds",
  "testerRssBytes",
] as const satisfies readonly MetricName[];

const STALL_MS = 1000;
const STALL_FACTOR = 10;

/** @param labels added to those of the server and the number of members */
export function broadcastMetrics(pass: BroadcastMeasurement, labels: Labels = {}): Metric[] {
  const { users, target, warm, cold, first, rounds, counts, server, connection, registration, generator } =
    pass;
  const all = { members: users, server: target.name, ...labels };
  const warmRounds = rounds.filter(({ kind }) => kind === "warm");
  const times = warmRounds
    .filter(({ isDisturbed }) => !isDisturbed || !generator.areLeftOut)
    .map(({ p100Ms }) => p100Ms);
  // Interrupted before the first one: unknown, which other passes must not suffer from.
  const ofWarm = (value: number | null | undefined) => (times.length === 0 ? undefined : (value ?? null));
  const latency = warm.latencyMs;
  const cpu = server.cpuMsPerMessage;
  const orNothing = (value: number | null | undefined) => value ?? undefined;
  return [
    ...metrics(
      {
        worstMs: ofWarm(warm.p100Ms?.max),
        medianMs: ofWarm(warm.p100Ms?.median),
        coldMs: cold === null ? undefined : cold.p100Ms,
        firstMs: first === null ? undefined : first.p100Ms,
        bestMs: ofWarm(warm.p100Ms?.min),
        p50Ms: ofWarm(latency?.p50),
        p99Ms: ofWarm(latency?.p99),
        p999Ms: ofWarm(latency?.["p99.9"]),
        ackMs: ofWarm(warm.ackMs?.median),
        stalls: stallsOf(pass),
        lost: counts.lost,
        duplicates: counts.duplicates,
        outOfOrder: counts.outOfOrder,
        corrupted: counts.corrupted,
        unstored: counts.stored === null ? undefined : counts.acknowledged - counts.stored,
        storedTwice: counts.storedTwice ?? undefined,
        dropped: counts.dropped,
        cpuMsPerMessage: orNothing(cpu),
        netCpuMsPerMessage: orNothing(server.netCpuMsPerMessage),
        idleCpuMsPerSecond: orNothing(server.idleCpuMsPerSecond),
        cpuMicrosecondsPerDelivery: cpu === null ? undefined : (cpu * 1000) / users,
        rssPerConnectionBytes: orNothing(server.rssPerConnectionBytes),
        natsPerMessage: server.natsPerMessage?.rooms,
        natsToIdleGateways: server.natsPerMessage?.toIdleGateways,
        registrationsPerSecond: registration?.perSecond,
        connectsPerSecond: connection?.perSecond,
        onlineP99Ms: connection?.onlineMs?.p99,
      },
      all,
    ).map((metric) => (metric.name === "medianMs" ? { ...metric, samples: times } : metric)),
    ...cpuByKind(pass, all),
    ...burstMetrics(pass, all),
    ...metrics(
      {
        sent: counts.sent,
        acknowledged: counts.acknowledged,
        stored: orNothing(counts.stored),
        expected: counts.expected,
        received: counts.received,
        resyncs: counts.resyncs || undefined,
        foreign: counts.foreign || undefined,
      },
      all,
    ),
    ...serverMetrics(pass, all),
    ...metrics(
      {
        receiverBusy: orNothing(generator.receiverBusy),
        receiverWaiting: orNothing(generator.receiverWaiting),
        testerDelayMs: generator.longestDelayMs,
        disturbedMessages: generator.disturbed,
        otherProgramsCores: orNothing(generator.otherProgramsCores),
        testerCpuSeconds: generator.cpuSeconds,
        testerRssBytes: generator.rssBytes,
      },
      all,
    ),
  ];
}

/** Warm messages that some members had to wait for, though the others came quickly. A rank test ignores them when they are rare. */
function stallsOf({ rounds, warm }: BroadcastMeasurement): number {
  const limitMs = Math.max(STALL_MS, STALL_FACTOR * (warm.p100Ms?.median ?? 0));
  return rounds.filter(
    ({ kind, p100Ms, isDisturbed }) => kind === "warm" && !isDisturbed && p100Ms !== null && p100Ms > limitMs,
  ).length;
}

function cpuByKind({ server }: BroadcastMeasurement, labels: Labels): Metric[] {
  return Object.entries(server.cpuMsPerMessageByKind ?? {}).flatMap(([process, cpuMsPerMessage]) =>
    metrics({ cpuMsPerMessage }, { ...labels, process }),
  );
}

function burstMetrics({ bursts }: BroadcastMeasurement, labels: Labels): Metric[] {
  return [...Map.groupBy(bursts, ({ messages }) => messages)].flatMap(([burst, same]) => {
    return metrics(
      {
        burstMs: medianUnlessLost(same, ({ allMs }) => allMs),
        burstPerSecond: medianUnlessLost(same, ({ deliveriesPerSecond }) => deliveriesPerSecond),
        burstPerCpuSecond:
          medianUnlessLost(same, ({ deliveriesPerCpuSecond }) => deliveriesPerCpuSecond) ?? undefined,
      },
      { ...labels, burst },
    );
  });
}

/** null if a delivery was lost: a median without it would make a worse server look better. undefined: nothing is known. */
function medianUnlessLost(
  all: readonly BurstResult[],
  of: (burst: BurstResult) => number | null,
): number | null | undefined {
  if (all.some(({ lost }) => lost > 0)) return null;
  return spread(all.map(of).filter((value) => value !== null))?.median;
}

function serverMetrics({ server }: BroadcastMeasurement, labels: Labels): Metric[] {
  const moments = [
    ["before connecting", server.beforeConnect],
    ["all online, idle", server.connected],
    ["after the messages", server.afterRounds],
    ["after the bursts", server.afterBursts],
  ] as const;
  return moments.flatMap(([when, usage]) =>
    usage === null
      ? []
      : metrics(
          { rssBytes: usage.rssBytes ?? undefined, loopDelayMaxMs: usage.eventLoopMaxMs ?? undefined },
          { ...labels, when },
        ),
  );
}

export function broadcastDistributions({ warm }: BroadcastMeasurement): Distribution[] {
  const label = "all deliveries of warm messages";
  return [{ label, unit: "ms", percentiles: warm.latencyMs, buckets: warm.histogram }];
}

export function broadcastSeries({ rounds, server: { samples } }: BroadcastMeasurement): Series[] {
  const line = (
    label: string,
    y: string,
    of: (sample: (typeof samples)[number]) => number | null,
  ): Series => ({
    label,
    x: "seconds since the receivers were connected",
    y,
    kind: "line",
    points: samples.map((sample) => ({ x: sample.atMs / 1000, y: of(sample) })),
  });
  return [
    {
      label: "Each message, time to the last member",
      x: "messages in order",
      y: "ms",
      kind: "columns",
      points: rounds.map(({ kind, p100Ms, isDisturbed }, i) => ({
        x: i + 1,
        y: p100Ms,
        kind: isDisturbed ? "disturbed by the tester" : kind,
      })),
    },
    line("Deliveries per second", "deliveries/s", (sample) => sample.deliveriesPerSecond),
    line("Server CPU", "cores", (sample) => sample.cpuCores),
    line("Server memory (RSS)", "MiB", ({ rssBytes }) => (rssBytes === null ? null : rssBytes / 1024 / 1024)),
    line("Longest event-loop delay of the server", "ms", (sample) => sample.eventLoopMaxMs),
  ];
}
