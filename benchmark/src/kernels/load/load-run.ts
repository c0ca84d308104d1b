import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../broadcast/clock.ts";
import { watchOtherPrograms } from "../broadcast/machine-load.ts";
import type { ThreadLoad } from "../broadcast/thread-load.ts";
import type { Progress } from "../../report/progress.ts";
import type { ServerUsage } from "../../targets/target.ts";
import type { ThreadReport } from "./load-messages.ts";
import { allocateLoad, Progressed, RequestState, type LoadMemory } from "./load-memory.ts";
import { warmUpLoop, type LoadPlan } from "./load-plan.ts";
import type { LoadSample } from "./load-result.ts";
import { LoadSampler } from "./load-samples.ts";
import { TallyCount, type LoadTally } from "./load-tally.ts";
import type { LoadThreads } from "./load-threads.ts";
import type { ArrivalReport } from "./receive-messages.ts";
import type { ReceiveThreads } from "./receive-threads.ts";

/** So that all threads know of the phase before it starts. */
const START_MS = 50;
/** After the warm-up, so that its last deliveries don't fall into the measurement. */
const SETTLE_MS = 500;
const POLL_MS = 10;
/** If nothing arrived for this long, the rest is lost. */
const QUIET_MS = 5000;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;

/** Requests made by threads, and deliveries that others wait for. */
export interface LoadJob {
  plan: LoadPlan;
  senders: number;
  memory: LoadMemory;
  threads: LoadThreads;
  /** undefined: no receivers. */
  tally: LoadTally | undefined;
  /** undefined: no one only receives. */
  receivers: ReceiveThreads | undefined;
  usage: () => Promise<ServerUsage | null>;
  isThrowaway: boolean;
  progress: Progress;
  signal: AbortSignal;
}

/** Raw data of the run. */
export interface LoadRecord {
  warmUp: { requests: number; acknowledged: number; durationMs: number };
  /** By `nowMs`; null: interrupted before. */
  startMs: number | null;
  /** true: all deliveries were waited for. */
  isComplete: boolean;
  reports: ThreadReport[];
  arrivals: ArrivalReport[];
  before: ServerUsage | null;
  after: ServerUsage | null;
  samples: LoadSample[];
  /** Of the threads that only receive, during the run; empty if there are none. */
  receiving: { before: ThreadLoad[]; after: ThreadLoad[] };
  otherProgramsCores: number | null;
}

/**
 * Warms up, measures, and waits for the last delivery. On an abort signal, the record has everything up to
 * then.
 */
export async function runLoad(job: LoadJob): Promise<LoadRecord> {
  const record = emptyRecord();
  await warmUp(job, record);
  if (!job.signal.aborted) await measure(job, record);
  return record;
}

/** Of a run that was interrupted before it began. */
export function emptyRecord(): LoadRecord {
  return {
    warmUp: { requests: 0, acknowledged: 0, durationMs: 0 },
    startMs: null,
    isComplete: false,
    reports: [],
    arrivals: [],
    before: null,
    after: null,
    samples: [],
    receiving: { before: [], after: [] },
    otherProgramsCores: null,
  };
}

async function warmUp(
  { plan, senders, threads, progress, signal }: LoadJob,
  record: LoadRecord,
): Promise<void> {
  if (plan.warmUp === 0) return;
  const loop = warmUpLoop(plan.loop, plan.warmUp);
  const memory = allocateLoad(loop.requests);
  const startMs = nowMs() + START_MS;
  const phase = { loop, isWarmUp: true, senders, memory, timeoutMs: plan.timeoutMs, startMs };
  await duringPhase(progress, "warming up", memory, () => threads.run(phase));
  record.warmUp = {
    requests: loop.requests,
    acknowledged: Atomics.load(memory.progress, Progressed.acknowledged),
    durationMs: nowMs() - startMs,
  };
  await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
}

async function measure(job: LoadJob, record: LoadRecord): Promise<void> {
  const { plan, senders, memory, threads, tally, receivers, progress, signal } = job;
  record.receiving.before = (await receivers?.sampleLoads()) ?? [];
  const totals = () => ({
    acknowledged: Atomics.load(memory.progress, Progressed.acknowledged),
    received: tally ? Atomics.load(tally.memory.counts, TallyCount.received) : 0,
  });
  const sampler = new LoadSampler(job.usage, totals);
  record.before = await sampler.start();
  const cpuBefore = record.before?.cpuSeconds ?? null;
  const endWatch = job.isThrowaway && cpuBefore !== null ? watchOtherPrograms(cpuBefore) : undefined;
  record.startMs = nowMs() + START_MS;
  sampler.startMs = record.startMs;
  const phase = {
    loop: plan.loop,
    isWarmUp: false,
    senders,
    memory,
    timeoutMs: plan.timeoutMs,
    startMs: record.startMs,
  };
  record.reports = await duringPhase(progress, "measuring", memory, () => threads.run(phase));
  if (tally && !signal.aborted) await allDelivered(memory, tally, signal);
  const { usage, samples } = await sampler.stop();
  record.after = usage;
  record.samples = samples;
  record.receiving.after = (await receivers?.sampleLoads()) ?? [];
  record.otherProgramsCores = (usage?.cpuSeconds && endWatch?.(usage.cpuSeconds)) ?? null;
  await sleep(DRAIN_MS, undefined, { signal }).catch(() => {});
  record.arrivals = [...(await threads.report()), ...((await receivers?.report()) ?? [])];
  record.isComplete = !signal.aborted;
}

function duringPhase(
  progress: Progress,
  label: string,
  memory: LoadMemory,
  work: () => Promise<ThreadReport[]>,
): Promise<ThreadReport[]> {
  return progress.during(
    label,
    memory.requests,
    () => Atomics.load(memory.progress, Progressed.settled),
    work,
  );
}

/** Resolves when every acknowledged message is delivered, or nothing more arrives. */
async function allDelivered(memory: LoadMemory, tally: LoadTally, signal: AbortSignal): Promise<void> {
  let next = 0;
  let received = -1;
  let quietSinceMs = nowMs();
  const isDone = (message: number) =>
    memory.state[message] !== RequestState.acknowledged || tally.received(message) >= tally.expected(message);
  for (;;) {
    while (next < memory.requests && isDone(next)) next++;
    if (next === memory.requests || signal.aborted) return;
    const now = Atomics.load(tally.memory.counts, TallyCount.received);
    if (now !== received) quietSinceMs = nowMs();
    else if (nowMs() - quietSinceMs > QUIET_MS) return;
    received = now;
    await sleep(POLL_MS);
  }
}
