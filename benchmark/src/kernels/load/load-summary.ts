import type { DeliveryTally } from "../../receivers/delivery-tally.ts";
import { known, type MetricValues } from "../../report/metric.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import type { busiestThread } from "../broadcast/thread-load.ts";
import { LatencyHistogram, latenciesOf, type Latencies } from "../requests/latency-histogram.ts";
import { ackTimes, lateTimes, times } from "../requests/request-memory.ts";
import type { Span } from "../requests/request-threads.ts";
import type { ServerUse } from "../requests/server-watch.ts";
import { countMessages, countMissing, type Missing } from "../requests/message-counts.ts";
import { judgeLoad } from "./load-judge.ts";
import type { LoadContext, LoadMeasurement, LoadSample } from "./load.ts";
import type { LoadJob } from "./load-run.ts";

/** What was observed, besides the shared memory. Absent: interrupted before. */
export interface LoadRecord {
  /** The tester's CPU time at the start of the run. */
  cpuAtStart: NodeJS.CpuUsage;
  warmUp: number;
  span?: Span;
  /** true: all deliveries were waited for. */
  isComplete: boolean;
  before?: ServerUsage | null;
  server?: ServerUse;
  samples: LoadSample[];
  /** The busiest thread of each kind. */
  sending?: ReturnType<typeof busiestThread>;
  receiving?: ReturnType<typeof busiestThread>;
  /** Number of stored copies per message. */
  copies?: Uint8Array | undefined;
}

/** Turns the raw data into the result. Done at the end, so that late arrivals are recognized as such. */
export function summariseLoad(context: LoadContext, job: LoadJob, record: LoadRecord): LoadMeasurement {
  const { target, plan, errors } = context;
  const { memory, scene, registration, audience } = job;
  const { copies, isComplete, samples } = record;
  const tally = audience?.tally;
  const counts = countMessages({ memory, tally, connections: audience?.connections, copies, isComplete });
  const missing = countMissing({ memory, tally });
  const ack = latenciesOf(ackTimes(memory), missing.answers);
  const delivery = tally && deliveryLatencies(tally, missing);
  const answeredMs = sinceStart(record, memory.answeredAt);
  const deliveredMs = sinceStart(record, tally?.memory.lastAt);
  const cpuSeconds = record.server?.cpuSeconds ?? null;
  const sentLateMs = percentiles(lateTimes(memory));
  const tester = {
    senderBusy: record.sending?.busy ?? null,
    senderWaiting: record.sending?.waiting ?? null,
    receiverBusy: record.receiving?.busy ?? null,
    receiverWaiting: record.receiving?.waiting ?? null,
    otherProgramsCores: record.server?.otherProgramsCores ?? null,
  };
  const { user, system } = process.cpuUsage(record.cpuAtStart);
  const { sent, acknowledged, refused, unanswered, missed, dropped } = counts;
  return {
    target: { name: target.name, url: target.urls.join(", "), isThrowaway: target.isThrowaway },
    plan,
    scene,
    warmUp: record.warmUp,
    values: {
      sent,
      acknowledged,
      refused,
      unanswered,
      missed,
      dropped,
      resyncs: counts.resyncs || undefined,
      acknowledgedPerSecond: perSecond(acknowledged, answeredMs),
      ackP50Ms: ack.percentiles?.p50 ?? null,
      ackP90Ms: ack.percentiles?.p90 ?? null,
      ackP99Ms: ack.percentiles?.p99 ?? null,
      ackP100Ms: ack.percentiles?.p100 ?? null,
      registrationsPerSecond: registration.perSecond,
      sentLateP99Ms: sentLateMs?.p99,
      testerCpuSeconds: (user + system) / 1e6,
      testerRssBytes: process.memoryUsage.rss(),
      ...known({
        stored: counts.stored,
        unstored: counts.unstored,
        storedTwice: counts.storedTwice,
        acknowledgedPerCpuSecond: per(acknowledged, cpuSeconds),
        serverCores: per(cpuSeconds, Math.max(answeredMs ?? 0, deliveredMs ?? 0) / 1000),
        serverCpuSeconds: cpuSeconds,
        rssBytes: record.before?.rssBytes ?? null,
        rssMaxBytes: largest(samples.map(({ rssBytes }) => rssBytes)),
        loopDelayMaxMs: largest(samples.map(({ eventLoopMaxMs }) => eventLoopMaxMs)),
        ...tester,
      }),
      ...(delivery && counts.expected > 0 ? deliveryValues(counts, delivery, deliveredMs, cpuSeconds) : {}),
    },
    distributions: [
      { label: "acknowledged", unit: "ms", ...ack },
      ...(delivery ? [{ label: "full delivery", unit: "ms" as const, ...delivery.full }] : []),
      ...(delivery ? [{ label: "each delivery", unit: "ms" as const, ...delivery.each }] : []),
    ],
    samples,
    verdicts: judgeLoad({
      ...tester,
      sentLateMs,
      missed,
      intended: counts.intended,
      ackMs: ack.percentiles,
    }),
    errors: errors.rows(),
  };
}

function deliveryValues(
  counts: ReturnType<typeof countMessages>,
  { full }: ReturnType<typeof deliveryLatencies>,
  deliveredMs: number | null,
  cpuSeconds: number | null,
): MetricValues {
  const { expected, received, lost, duplicates, outOfOrder, corrupted } = counts;
  return {
    expected,
    received,
    lost,
    duplicates,
    outOfOrder,
    corrupted,
    receivedShare: received / expected,
    deliveriesPerSecond: perSecond(received, deliveredMs),
    deliveriesPerCpuSecond: per(received, cpuSeconds) ?? undefined,
    deliveryP50Ms: full.percentiles?.p50 ?? null,
    deliveryP99Ms: full.percentiles?.p99 ?? null,
    deliveryP100Ms: full.percentiles?.p100 ?? null,
  };
}

/** Of each delivery, and of each message to the last connection. */
function deliveryLatencies(tally: DeliveryTally, missing: Missing): { each: Latencies; full: Latencies } {
  const all = { from: 0, to: tally.memory.messages };
  const longestMs = times(all, (message) => tally.untilLast(message)).at(-1) ?? 0;
  const full = times(all, (message) => (tally.isComplete(message) ? tally.untilLast(message) : null));
  return {
    each: new LatencyHistogram(tally.memory.latencies).latencies(longestMs, missing.deliveries),
    full: latenciesOf(full, missing.messages),
  };
}

/** From the first intended request to the last of these times; null: nothing happened. */
function sinceStart({ span }: LoadRecord, atMs: Float64Array | undefined): number | null {
  const lastMs = atMs?.reduce((last, at) => Math.max(last, at), 0) ?? 0;
  return span === undefined || lastMs === 0 ? null : lastMs - span.fromMs;
}

function largest(values: readonly (number | null)[]): number | null {
  const all = values.filter((value) => value !== null);
  return all.length === 0 ? null : Math.max(...all);
}

function per(amount: number | null, by: number | null): number | null {
  return amount === null || by === null || by <= 0 ? null : amount / by;
}

function perSecond(amount: number, durationMs: number | null): number | null {
  return per(amount, durationMs === null ? null : durationMs / 1000);
}
