import type { ThreadLoad } from "../broadcast/thread-load.ts";
import { LatencyHistogram, type EncodedLatencies } from "./latency-histogram.ts";
import { countLoad, countMissing, type CountSources } from "./load-counts.ts";
import { judgeLoad } from "./load-judge.ts";
import type { LoadPlan } from "./load-plan.ts";
import type {
  LatencyResult,
  LoadGeneratorResult,
  LoadMeasurement,
  LoadRates,
  LoadScene,
} from "./load-result.ts";
import type { LoadRecord } from "./load-run.ts";
import type { RegistrationResult } from "../../targets/registration.ts";

export interface LoadSources extends Omit<CountSources, "isComplete"> {
  target: LoadMeasurement["target"];
  plan: LoadPlan;
  scene: LoadScene;
  registration: RegistrationResult | null;
  record: LoadRecord;
  /** The tester's CPU time at the start of the run. */
  cpuAtStart: NodeJS.CpuUsage;
  errors: LoadMeasurement["errors"];
}

/** Turns the raw data into the result. Done at the end, so that late arrivals are recognized as such. */
export function summariseLoad(sources: LoadSources): LoadMeasurement {
  const { plan, record, tally } = sources;
  const counts = countLoad({ ...sources, isComplete: record.isComplete });
  const missing = countMissing(sources);
  const ack = latencyResult(
    record.reports.map(({ latencies }) => latencies),
    missing.answers,
  );
  const delivery = latencyResult(
    record.arrivals.map(({ deliveries }) => deliveries),
    missing.deliveries,
  );
  const lastDelivery = latencyResult(
    record.arrivals.map(({ lastDeliveries }) => lastDeliveries),
    missing.messages,
  );
  const rates = ratesOf(sources, counts);
  return {
    target: sources.target,
    scene: sources.scene,
    loop: plan.loop,
    threads: { sending: plan.sendingThreads, receiving: plan.receivingThreads, napMs: plan.napMs },
    registration: sources.registration,
    warmUp: record.warmUp,
    measuredMs: answeredWithinMs(record),
    counts,
    rates,
    ack,
    delivery: tally ? delivery : null,
    lastDelivery: tally ? lastDelivery : null,
    samples: record.samples,
    server: serverResult(record),
    generator: generatorResult(sources, counts, ack),
    errors: sources.errors,
  };
}

function latencyResult(parts: readonly EncodedLatencies[], missing: number): LatencyResult {
  const all = sumOf(parts);
  return { latencyMs: all.openPercentiles(missing), bars: all.bars(), histogram: all.encode().histogram };
}

function sumOf(parts: readonly EncodedLatencies[]): LatencyHistogram {
  const all = new LatencyHistogram();
  for (const part of parts) all.add(part);
  return all;
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function answeredWithinMs({ startMs, reports }: LoadRecord): number | null {
  const lastMs = latest(reports.map(({ lastAnswerMs }) => lastAnswerMs));
  return startMs === null || lastMs === null ? null : lastMs - startMs;
}

function deliveredWithinMs({ startMs, arrivals }: LoadRecord): number | null {
  const lastMs = latest(arrivals.map(({ lastAtMs }) => lastAtMs));
  return startMs === null || lastMs === null ? null : lastMs - startMs;
}

function cpuSecondsOf({ before, after }: LoadRecord): number | null {
  const [from, to] = [before?.cpuSeconds ?? null, after?.cpuSeconds ?? null];
  return from === null || to === null ? null : to - from;
}

function ratesOf({ plan, record, tally }: LoadSources, counts: LoadMeasurement["counts"]): LoadRates {
  const { loop } = plan;
  const per = (amount: number, seconds: number | null) =>
    seconds === null || seconds <= 0 ? null : amount / seconds;
  const seconds = (durationMs: number | null) => (durationMs === null ? null : durationMs / 1000);
  const cpuSeconds = cpuSecondsOf(record);
  return {
    offeredPerSecond: loop.kind === "open" ? loop.perSecond : null,
    acknowledgedPerSecond: per(counts.acknowledged, seconds(answeredWithinMs(record))),
    receivedShare: tally && counts.expected > 0 ? counts.received / counts.expected : null,
    deliveriesPerSecond: tally ? per(counts.received, seconds(deliveredWithinMs(record))) : null,
    acknowledgedPerCpuSecond: per(counts.acknowledged, cpuSeconds),
    deliveriesPerCpuSecond: tally ? per(counts.received, cpuSeconds) : null,
  };
}

function serverResult(record: LoadRecord): LoadMeasurement["server"] {
  const { before, after, samples } = record;
  const cpuSeconds = cpuSecondsOf(record);
  const durationMs = Math.max(answeredWithinMs(record) ?? 0, deliveredWithinMs(record) ?? 0);
  return {
    cpuSeconds,
    cores: cpuSeconds === null || durationMs === 0 ? null : cpuSeconds / (durationMs / 1000),
    rssBeforeBytes: before?.rssBytes ?? null,
    rssAfterBytes: after?.rssBytes ?? null,
    rssMaxBytes: latest(samples.map(({ rssBytes }) => rssBytes)),
    eventLoopMaxMs: latest(samples.map(({ eventLoopMaxMs }) => eventLoopMaxMs)),
  };
}

function generatorResult(
  { record, cpuAtStart }: LoadSources,
  { missed, intended }: LoadMeasurement["counts"],
  ack: LatencyResult,
): LoadGeneratorResult {
  const { user, system } = process.cpuUsage(cpuAtStart);
  const { before, after } = record.receiving;
  const receivingShare = (used: (load: ThreadLoad) => number | null) =>
    latest(after.map((load, i) => share(used(load), used(before[i]!), load.atMs - before[i]!.atMs)));
  const figures = {
    senderBusy: latest(record.reports.map(({ cpuMs, durationMs }) => share(cpuMs, 0, durationMs))),
    senderWaiting: latest(record.reports.map(({ waitedMs, durationMs }) => share(waitedMs, 0, durationMs))),
    receiverBusy: receivingShare((load) => load.cpuMs),
    receiverWaiting: receivingShare((load) => load.waitMs),
    sentLateMs: sumOf(record.reports.map(({ lateness }) => lateness)).percentiles(),
    otherProgramsCores: record.otherProgramsCores,
    cpuSeconds: (user + system) / 1e6,
    rssBytes: process.memoryUsage.rss(),
  };
  return { ...figures, verdicts: judgeLoad({ ...figures, missed, intended, ackMs: ack.latencyMs }) };
}

function share(after: number | null, before: number | null, durationMs: number): number | null {
  return after === null || before === null || durationMs <= 0
    ? null
    : Math.min(1, (after - before) / durationMs);
}
