import type { DeliveryTally } from "../../receivers/delivery-tally.ts";
import { applying, percent, serverText } from "../../report/format.ts";
import type { Distribution } from "../../report/result.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { BUSY_LIMIT, otherProgramsVerdict, WAITING_LIMIT } from "../broadcast/generator-load.ts";
import { percentiles, type OpenPercentiles, type Percentiles } from "../broadcast/percentiles.ts";
import type { busiestThread, ServerUse } from "../broadcast/resource-use.ts";
import type { ServerSample } from "../broadcast/server-samples.ts";
import { latenciesOf, LatencyHistogram, type Latencies } from "../requests/latency-histogram.ts";
import {
  ackTimes,
  countMessages,
  countMissing,
  lateTimes,
  times,
  type Missing,
} from "../requests/request-memory.ts";
import type { Span } from "../requests/request-threads.ts";
import type { LoadJob } from "./load-run.ts";
import type { LoadContext } from "./load.ts";

/** If one request in a hundred is later than this, and than this share of the p99, it distorts the p99. */
const LATE_MS = 5;
const LATE_SHARE = 0.2;

/** The tester's own load while it measured; null: unknown. */
export interface JudgedLoad {
  /** Of the busiest thread of each kind: its share of a core, and the share of time it waited for one. */
  senderBusy: number | null;
  senderWaiting: number | null;
  receiverBusy: number | null;
  receiverWaiting: number | null;
  /** From the intended to the actual sending. */
  sentLateMs: Percentiles | null;
  /** Cores used by unrelated programs. */
  otherProgramsCores: number | null;
  missed: number;
  intended: number;
  ackMs: OpenPercentiles | null;
}

/** @param busy the share of a core that the busiest of these threads used; null: unknown */
export function busyVerdict(kind: "sending" | "receiving", busy: number | null): string | undefined {
  if ((busy ?? 0) <= BUSY_LIMIT) return undefined;
  const advice = kind === "sending" ? "--sending-threads" : "--threads";
  return (
    `The tester was the bottleneck: its busiest ${kind} thread was busy ${percent(busy!)} of the time. ` +
    `Use more ${advice}, or another machine for the tester.`
  );
}

/** Whether the tester, or the machine, made the figures worse than the server's own. */
export function judgeLoad(load: JudgedLoad): string[] {
  const { missed, intended, sentLateMs, ackMs } = load;
  const late = sentLateMs && ackMs && sentLateMs.p99 > Math.max(LATE_MS, (ackMs.p99 ?? 0) * LATE_SHARE);
  const waiting = Math.max(load.senderWaiting ?? 0, load.receiverWaiting ?? 0);
  return applying(
    missed > 0 &&
      `${missed} of ${intended} due requests were not made: their connection was lost, or had too many ` +
        "unanswered. The latencies don't include them. Use a lower --rate, or more --senders.",
    late &&
      `The tester was late: one request in a hundred was made ${sentLateMs.p99.toFixed(1)} ms or more after it was due. ` +
        "The latencies include that. Use more --sending-threads, a lower --rate, or another machine for the tester.",
    busyVerdict("sending", load.senderBusy),
    busyVerdict("receiving", load.receiverBusy),
    waiting > WAITING_LIMIT &&
      `This machine has too few free cores: a thread of the tester waited for one ${percent(waiting)} of the time.`,
    otherProgramsVerdict(
      load.otherProgramsCores,
      "the figures are worse than the server's own, and only ratios within one run are meaningful.",
    ),
  );
}

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
  const missing = countMissing({ memory, tally, isComplete });
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
    server: serverText(target),
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
