import type { DeliveryTally } from "../../receivers/delivery-tally.ts";
import type { Distribution } from "../../report/result.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import type { ServerSample } from "../broadcast/server-samples.ts";
import type { busiestThread } from "../broadcast/thread-load.ts";
import { LatencyHistogram, latenciesOf, type Latencies } from "../requests/latency-histogram.ts";
import { ackTimes, lateTimes, times } from "../requests/request-memory.ts";
import type { Span } from "../requests/request-threads.ts";
import type { ServerUse } from "../requests/server-watch.ts";
import { countMessages, countMissing, type Missing } from "../requests/message-counts.ts";
import { judgeLoad } from "./load-judge.ts";
import type { LoadContext } from "./load.ts";
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
  samples: ServerSample[];
  /** The busiest thread of each kind. */
  sending?: ReturnType<typeof busiestThread>;
  receiving?: ReturnType<typeof busiestThread>;
  /** Number of stored copies per message. */
  copies?: Uint8Array | undefined;
}

/** The measurement of every load command. */
export type LoadMeasurement = ReturnType<typeof summariseLoad>;

/** Turns the raw data into the result. Done at the end, so that late arrivals are recognized as such. */
export function summariseLoad(context: LoadContext, job: LoadJob, record: LoadRecord) {
  const { target, plan } = context;
  const { memory, scene, registration, audience } = job;
  const { copies, isComplete, samples } = record;
  const tally = audience?.tally;
  const counts = countMessages({ memory, tally, connections: audience?.connections, copies, isComplete });
  const missing = countMissing({ memory, tally });
  const ack = latenciesOf(ackTimes(memory), missing.answers);
  const delivery = tally && deliveryLatencies(tally, missing);
  const answeredMs = sinceStart(record, memory.answeredAt);
  const deliveredMs = sinceStart(record, tally?.memory.lastAt);
  const sentLateMs = percentiles(lateTimes(memory));
  const tester = {
    senderBusy: record.sending?.busy ?? null,
    senderWaiting: record.sending?.waiting ?? null,
    receiverBusy: record.receiving?.busy ?? null,
    receiverWaiting: record.receiving?.waiting ?? null,
    otherProgramsCores: record.server?.otherProgramsCores ?? null,
  };
  const distributions: Distribution[] = [
    { label: "acknowledged", unit: "ms", ...ack },
    ...(delivery ? [{ label: "full delivery", unit: "ms" as const, ...delivery.full }] : []),
    ...(delivery ? [{ label: "each delivery", unit: "ms" as const, ...delivery.each }] : []),
  ];
  const { user, system } = process.cpuUsage(record.cpuAtStart);
  const { expected, missed, intended } = counts;
  return {
    target: { name: target.name, url: target.urls.join(", "), isThrowaway: target.isThrowaway },
    plan,
    scene,
    /** Requests before the measured ones, and in none of the figures. */
    warmUp: record.warmUp,
    figures: {
      counts,
      ack: ack.percentiles,
      answeredMs,
      deliveredMs,
      /** undefined: no one was to receive anything. */
      delivered: delivery && expected > 0 ? { ...counts, full: delivery.full.percentiles } : undefined,
      registration,
      cpuSeconds: record.server?.cpuSeconds ?? null,
      rssBytes: record.before?.rssBytes,
      samples,
      tester,
      sentLateMs,
      testerCpuSeconds: (user + system) / 1e6,
      testerRssBytes: process.memoryUsage.rss(),
    },
    distributions,
    /** What distorts the figures through no fault of the server. */
    verdicts: judgeLoad({ ...tester, sentLateMs, missed, intended, ackMs: ack.percentiles }),
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
