import { setTimeout as sleep } from "node:timers/promises";
import type { Audience } from "../../receivers/audience.ts";
import { TallyCount, type DeliveryTally } from "../../receivers/delivery-tally.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import { nowMs } from "../broadcast/clock.ts";
import { busiestThread, watchServer } from "../broadcast/resource-use.ts";
import { ServerSampler } from "../broadcast/server-samples.ts";
import {
  allocateRequests,
  Counted,
  counted,
  forgetInFlight,
  RequestState,
  type RequestMemory,
} from "../requests/request-memory.ts";
import type { RequestLoop, RequestThreads } from "../requests/request-threads.ts";
import { summariseLoad, type LoadRecord } from "./load-summary.ts";
import type { LoadContext, LoadScene } from "./load.ts";

/** After the warm-up, so that its last deliveries don't fall into the measurement. */
const SETTLE_MS = 500;
const POLL_MS = 10;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;

/** Requests to make, and who receives what they send. */
export interface LoadJob {
  /** Of the requests, in the table of errors. */
  name: string;
  threads: RequestThreads;
  memory: RequestMemory;
  senders: number;
  scene: LoadScene;
  registration: RegistrationResult;
  /** Those who only receive, with the deliveries to everyone; undefined: there are none. */
  audience?: Audience<DeliveryTally>;
  /** @throws {ExitError} if someone could not be connected */
  connect(): Promise<void>;
  /** Called after the warm-up, and after everything was measured. */
  begin?(): Promise<void>;
  end?(): Promise<void>;
  /** @returns the number of stored copies per message */
  readBack?(acknowledged: number): Promise<Uint8Array>;
}

/**
 * Warms up, measures, waits for the last delivery and reads back what is stored. On an abort signal, the
 * measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureLoad(context: LoadContext, job: LoadJob) {
  const { errors, signal } = context;
  const record: LoadRecord = { cpuAtStart: process.cpuUsage(), warmUp: 0, isComplete: false, samples: [] };
  const { threads } = job;
  try {
    await job.connect();
    record.warmUp = await warmUp(context, job, threads);
    if (!signal.aborted) await job.begin?.();
    if (!signal.aborted) await measure(context, job, threads, record);
    if (record.isComplete) await job.end?.();
    if (record.isComplete) record.copies = await job.readBack?.(counted(job.memory, Counted.acknowledged));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    errors.addAll("connection", await threads.close());
    await job.audience?.close();
    errors.addAll("connection", job.audience?.errors ?? {});
  }
  if (!record.isComplete) forgetInFlight(job.memory);
  errors.addAll(job.name, threads.errors(job.memory, { from: 0, to: job.memory.requests }));
  return summariseLoad(context, job, record);
}

async function warmUp(
  { plan, progress, signal }: LoadContext,
  { senders }: LoadJob,
  threads: RequestThreads,
): Promise<number> {
  if (plan.warmUp === 0) return 0;
  const memory = allocateRequests(plan.warmUp);
  const phase = { loop: warmUpLoop(plan.loop, plan.warmUp), senders, memory, first: 0, isWarmUp: true };
  await progress.during(
    "warming up",
    plan.warmUp,
    () => counted(memory, Counted.settled),
    () => threads.run({ ...phase, timeoutMs: plan.timeoutMs }),
  );
  await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
  return plan.warmUp;
}

/** The same concurrency or rate. */
function warmUpLoop(loop: RequestLoop, requests: number): RequestLoop {
  return loop.kind === "closed"
    ? { ...loop, requests }
    : { ...loop, requests, durationMs: (requests / loop.perSecond) * 1000 };
}

async function measure(
  { target, plan, progress, signal }: LoadContext,
  { memory, senders, audience }: LoadJob,
  threads: RequestThreads,
  record: LoadRecord,
): Promise<void> {
  const receiving = (await audience?.sampleLoads()) ?? [];
  const sampler = new ServerSampler({
    usage: () => target.usage(),
    totals: () => ({
      acknowledged: counted(memory, Counted.acknowledged),
      deliveries: audience?.tally.memory.counts[TallyCount.received] ?? 0,
    }),
  });
  record.before = await sampler.start();
  const endWatch = await watchServer(target);
  const sending = await threads.sampleLoads();
  const { loop, timeoutMs } = plan;
  record.span = await progress.during(
    "measuring",
    memory.requests,
    () => counted(memory, Counted.settled),
    () => threads.run({ loop, senders, memory, first: 0, isWarmUp: false, timeoutMs }),
  );
  record.sending = busiestThread(sending, await threads.sampleLoads());
  if (audience && !signal.aborted) await allDelivered(memory, audience.tally, timeoutMs, signal);
  record.server = await endWatch();
  await sampler.stop();
  record.samples = sampler.samples(record.span.fromMs);
  record.receiving = busiestThread(receiving, (await audience?.sampleLoads()) ?? []);
  await sleep(DRAIN_MS, undefined, { signal }).catch(() => {});
  record.isComplete = !signal.aborted;
}

/** Resolves when every acknowledged message is delivered, or nothing arrived for this long: the rest is lost. */
async function allDelivered(
  memory: RequestMemory,
  tally: DeliveryTally,
  quietMs: number,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  let received = -1;
  let quietSinceMs = nowMs();
  const isDone = (message: number) =>
    memory.state[message] !== RequestState.acknowledged || tally.isComplete(message);
  for (;;) {
    while (next < memory.requests && isDone(next)) next++;
    if (next === memory.requests || signal.aborted) return;
    const now = Atomics.load(tally.memory.counts, TallyCount.received);
    if (now !== received) quietSinceMs = nowMs();
    else if (nowMs() - quietSinceMs > quietMs) return;
    received = now;
    await sleep(POLL_MS);
  }
}
