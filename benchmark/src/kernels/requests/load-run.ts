import { setTimeout as sleep } from "node:timers/promises";
import type { Audience } from "../../receivers/audience.ts";
import { TallyCount, type DeliveryTally } from "../../receivers/delivery-tally.ts";
import { serverText } from "../../report/format.ts";
import type { Distribution } from "../../report/result.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import { keepValid, tokensOf, type Session } from "../../targets/fanfare/session.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { untilAborted, waitUntil } from "../broadcast/clock.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { ServerSampler, type ServerSample } from "../broadcast/server-samples.ts";
import { NOT_WATCHED, watchTester, type TesterWatch } from "../broadcast/tester-watch.ts";
import { latenciesOf, LatencyHistogram } from "./latency-histogram.ts";
import { judgeLoad } from "./load-judge.ts";
import type { LoadContext, LoadScene } from "./load.ts";
import {
  ackTimes,
  allocateRequests,
  Counted,
  counted,
  countMessages,
  countMissing,
  forgetInFlight,
  lateTimes,
  missOthers,
  RequestState,
  times,
  type RequestMemory,
} from "./request-memory.ts";
import type { RequestLoop, RequestThreads, Span } from "./request-threads.ts";

/** After the warm-up, so that its last deliveries don't fall into the measurement. */
const SETTLE_MS = 500;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;

/** Requests to make, and who receives what they send. */
interface LoadJob {
  /** Of the requests, in the table of errors. */
  name: string;
  threads: RequestThreads;
  memory: RequestMemory;
  senders: number;
  scene: LoadScene;
  /** Why a request can be missed; default: its connection. */
  missedWhy?: string;
  registration: RegistrationResult;
  /** Whose tokens the requests need, in the order of the setup; default: they need none, or connections outlive them. */
  callers?: readonly Session[];
  /** Those who only receive, with the deliveries to everyone; undefined: there are none. */
  audience?: Audience<DeliveryTally>;
  /** @throws {ExitError} if someone could not be connected */
  connect(): Promise<void>;
  /** Called after the warm-up, and after everything was measured. */
  begin?(): Promise<void>;
  end?(): Promise<void>;
  /** @returns the number of stored copies per message */
  readBack?(): Promise<Uint8Array>;
}

/** The measurement of every load command. */
export type LoadMeasurement = Awaited<ReturnType<typeof measureLoad>>;

/**
 * Warms up, measures, waits for the last delivery and reads back what is stored. On an abort signal, the
 * measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureLoad({ target, plan, progress, errors, signal }: LoadContext, job: LoadJob) {
  const { threads, memory, senders, scene, registration, audience } = job;
  const { loop, timeoutMs } = plan;
  const tally = audience?.tally;
  const cpuAtStart = process.cpuUsage();
  // Absent: interrupted before.
  let warmUp = 0;
  let span: Span | undefined;
  let before: ServerUsage | null | undefined;
  let tester: Awaited<ReturnType<TesterWatch["end"]>> | undefined;
  let samples: ServerSample[] = [];
  /** Connections that the server ended while requests were made, without those of the audience. */
  let dropped: number | undefined;
  /** Of stored messages. */
  let copies: Uint8Array | undefined;
  /** All deliveries were waited for. */
  let isComplete = false;
  await untilAborted(signal, run()).finally(async () => {
    errors.addAll("connection", await threads.close());
    await audience?.close();
    errors.addAll("connection", audience?.errors ?? {});
  });
  if (!isComplete) forgetInFlight(memory);
  errors.addAll(job.name, threads.errors(memory, { from: 0, to: memory.requests }));
  return summarise();

  async function run(): Promise<void> {
    await job.connect();
    await withValidTokens(warmItUp);
    if (!signal.aborted) await job.begin?.();
    if (!signal.aborted) await withValidTokens(measure);
    if (!isComplete) return;
    await job.end?.();
    copies = await job.readBack?.();
  }

  async function withValidTokens(work: () => Promise<void>): Promise<void> {
    const { callers } = job;
    if (callers === undefined) return work();
    threads.renew(await tokensOf(callers, { concurrency: plan.connecting, signal }));
    const isOver = new AbortController();
    const kept = keepValid(callers, (tokens) => threads.renew(tokens), isOver.signal);
    await work().finally(() => isOver.abort());
    await kept;
  }

  /** With the same concurrency or rate. */
  async function warmItUp(): Promise<void> {
    const requests = plan.warmUp;
    if (requests === 0) return;
    const warm = allocateRequests(requests);
    const same: RequestLoop =
      loop.kind === "closed"
        ? { ...loop, requests }
        : { ...loop, requests, durationMs: (requests / loop.perSecond) * 1000 };
    const phase = { loop: same, senders, memory: warm, first: 0, isWarmUp: true, timeoutMs };
    const done = () => counted(warm, Counted.settled);
    await progress.during("warming up", requests, done, () => threads.run(phase));
    await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
    warmUp = requests;
  }

  async function measure(): Promise<void> {
    const sampler = new ServerSampler({
      usage: () => target.usage(),
      totals: () => ({
        acknowledged: counted(memory, Counted.acknowledged),
        deliveries: tally?.memory.counts[TallyCount.received] ?? 0,
      }),
    });
    before = await sampler.start();
    const watch = await watchTester({
      sending: () => threads.sampleLoads(),
      receiving: audience && (() => audience.sampleLoads()),
      server: target,
    });
    const droppedBefore = await threads.dropped();
    const phase = { loop, senders, memory, first: 0, isWarmUp: false, timeoutMs };
    const done = () => counted(memory, Counted.settled);
    span = await progress.during("measuring", memory.requests, done, () => threads.run(phase));
    dropped = (await threads.dropped()) - droppedBefore;
    await watch.sent();
    if (!signal.aborted) missOthers(memory);
    if (tally) await allDelivered(tally);
    tester = await watch.end();
    await sampler.stop();
    samples = sampler.samples(span.fromMs);
    await sleep(DRAIN_MS, undefined, { signal }).catch(() => {});
    isComplete = !signal.aborted;
  }

  /** Until every acknowledged message is delivered, or nothing arrived for this long: the rest is lost. */
  async function allDelivered(deliveries: DeliveryTally): Promise<void> {
    const { counts } = deliveries.memory;
    let next = 0;
    const isDelivered = (message: number) =>
      memory.state[message] !== RequestState.acknowledged || deliveries.isComplete(message);
    const received = () => Atomics.load(counts, TallyCount.received);
    const isOver = () => {
      while (next < memory.requests && isDelivered(next)) next++;
      return next === memory.requests || signal.aborted;
    };
    while (!isOver()) {
      const soFar = received();
      if (!(await waitUntil(() => isOver() || received() !== soFar, timeoutMs))) return;
    }
  }

  /** From the first intended request to this time; null: nothing happened. */
  function sinceStart(lastMs = 0): number | null {
    return span === undefined || lastMs === 0 ? null : lastMs - span.fromMs;
  }

  /** Done at the end, so that late arrivals are recognized as such. */
  function summarise() {
    const counts = countMessages({ memory, tally, connections: audience?.connections, copies, isComplete });
    const missing = countMissing({ memory, tally, isComplete });
    const ack = latenciesOf(ackTimes(memory), missing.answers);
    const sentLateMs = percentiles(lateTimes(memory));
    const distributions: Distribution[] = [{ label: "acknowledged", unit: "ms", ...ack }];
    let delivered: (typeof counts & { full: Distribution["percentiles"] }) | undefined;
    if (tally) {
      const all = { from: 0, to: tally.memory.messages };
      const longestMs = times(all, (message) => tally.untilLast(message)).at(-1) ?? 0;
      const whole = times(all, (message) => (tally.isComplete(message) ? tally.untilLast(message) : null));
      const full = latenciesOf(whole, missing.messages);
      const each = new LatencyHistogram(tally.memory.latencies).latencies(longestMs, missing.deliveries);
      distributions.push({ label: "full delivery", unit: "ms", ...full });
      distributions.push({ label: "each delivery", unit: "ms", ...each });
      if (counts.expected > 0) delivered = { ...counts, full: full.percentiles };
    }
    const { user, system } = process.cpuUsage(cpuAtStart);
    const { missed, intended } = counts;
    const server = tester?.server;
    return {
      server: serverText(target),
      plan,
      scene,
      /** Requests before the measured ones, and in none of the figures. */
      warmUp,
      figures: {
        counts: audience ? counts : { ...counts, dropped },
        ack: ack.percentiles,
        answeredMs: sinceStart(memory.answeredAt.reduce((last, at) => Math.max(last, at), 0)),
        deliveredMs: sinceStart(tally?.lastAtMs),
        /** undefined: no one was to receive anything. */
        delivered,
        registration,
        server,
        cpuSeconds: server?.cpuSeconds ?? null,
        rssBytes: before?.rssBytes,
        samples,
        tester: tester ?? NOT_WATCHED,
        sentLateMs,
        testerCpuSeconds: (user + system) / 1e6,
        testerRssBytes: process.memoryUsage.rss(),
      },
      distributions,
      /** What distorts the figures through no fault of the server. */
      verdicts: judgeLoad(
        { ...(tester ?? NOT_WATCHED), sentLateMs, missed, intended, ackMs: ack.percentiles },
        job.missedWhy,
      ),
    };
  }
}
