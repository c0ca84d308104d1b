import { setTimeout as sleep } from "node:timers/promises";
import type { Audience } from "../../receivers/audience.ts";
import { TallyCount, type DeliveryTally } from "../../receivers/delivery-tally.ts";
import { applying } from "../../report/format.ts";
import type { Distribution } from "../../report/result.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import { keepValid, tokensOf, type Session } from "../../targets/fanfare/session.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { untilAborted, waitUntil } from "../broadcast/clock.ts";
import {
  openPercentiles,
  percentiles,
  type OpenPercentiles,
  type Percentiles,
} from "../broadcast/percentiles.ts";
import type { ServerUse } from "../broadcast/resource-use.ts";
import { sampleServer, type ServerSample } from "../broadcast/server-samples.ts";
import { NOT_WATCHED, testerCaveats, watchTester, type TesterLoad } from "../broadcast/tester-watch.ts";
import { LatencyHistogram } from "./latency-histogram.ts";
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
import type { RequestThreads, Span } from "./request-threads.ts";

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
  const { threads, memory, scene, registration, audience } = job;
  const { timeoutMs } = plan;
  const tally = audience?.tally;
  // Absent: interrupted before.
  let warmUp = 0;
  let span: Span | undefined;
  let before: ServerUsage | null | undefined;
  let tester: TesterLoad & { server?: ServerUse | undefined } = NOT_WATCHED;
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

  /** With the concurrency or rate of the plan. */
  function make(requests: RequestMemory, label: string, isWarmUp: boolean): Promise<Span> {
    const phase = { loop: plan.loop, senders: scene.senders, memory: requests, isWarmUp, timeoutMs };
    const done = () => counted(requests, Counted.settled);
    return progress.during(label, requests.requests, done, () => threads.run(phase));
  }

  async function warmItUp(): Promise<void> {
    if (plan.warmUp === 0) return;
    await make(allocateRequests(plan.warmUp), "warming up", true);
    await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
    warmUp = plan.warmUp;
  }

  async function measure(): Promise<void> {
    const sampler = await sampleServer({
      usage: () => target.usage(),
      totals: () => ({
        acknowledged: counted(memory, Counted.acknowledged),
        deliveries: tally?.memory.counts[TallyCount.received] ?? 0,
      }),
    });
    before = sampler.before;
    const watch = await watchTester({
      sending: () => threads.sampleLoads(),
      receiving: audience && (() => audience.sampleLoads()),
      server: target,
    });
    const droppedBefore = await threads.dropped();
    span = await make(memory, "measuring", false);
    dropped = (await threads.dropped()) - droppedBefore;
    await watch.sent();
    if (!signal.aborted) missOthers(memory);
    if (tally) await allDelivered(tally);
    tester = await watch.end();
    samples = await sampler.end(span.fromMs);
    await sleep(DRAIN_MS, undefined, { signal }).catch(() => {});
    isComplete = !signal.aborted;
  }

  /** Until every acknowledged message is delivered, or nothing arrived for this long: the rest is lost. */
  async function allDelivered(deliveries: DeliveryTally): Promise<void> {
    let next = 0;
    const isDelivered = (message: number) =>
      memory.state[message] !== RequestState.acknowledged || deliveries.isComplete(message);
    const received = () => Atomics.load(deliveries.memory.counts, TallyCount.received);
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
    const acks = ackTimes(memory);
    const ack = openPercentiles(acks, missing.answers);
    const sentLateMs = percentiles(lateTimes(memory));
    const distributions = [distribution("acknowledged", ack, acks.length)];
    let delivered: (typeof counts & { full: Distribution["percentiles"] }) | undefined;
    if (tally) {
      const all = { from: 0, to: tally.memory.messages };
      const longestMs = times(all, (message) => tally.untilLast(message)).at(-1) ?? 0;
      const whole = times(all, (message) => (tally.isComplete(message) ? tally.untilLast(message) : null));
      const full = openPercentiles(whole, missing.messages);
      const each = new LatencyHistogram(tally.memory.latencies);
      distributions.push(distribution("full delivery", full, whole.length));
      distributions.push(
        distribution("each delivery", each.percentiles(longestMs, missing.deliveries), each.count),
      );
      if (counts.expected > 0) delivered = { ...counts, full };
    }
    const { missed, intended } = counts;
    return {
      scene,
      /** Requests before the measured ones, and in none of the figures. */
      warmUp,
      figures: {
        counts: audience ? counts : { ...counts, dropped },
        ack,
        answeredMs: sinceStart(memory.answeredAt.reduce((last, at) => Math.max(last, at), 0)),
        deliveredMs: sinceStart(tally?.lastAtMs),
        /** undefined: no one was to receive anything. */
        delivered,
        registration,
        server: tester.server,
        cpuSeconds: tester.server?.cpuSeconds ?? null,
        rssBytes: before?.rssBytes,
        samples,
        tester,
        sentLateMs,
      },
      distributions,
      /** What distorts the figures through no fault of the server. */
      verdicts: judgeLoad({ ...tester, sentLateMs, missed, intended, ackMs: ack }, job.missedWhy),
    };
  }
}

const distribution = (label: string, of: OpenPercentiles | null, count: number): Distribution => {
  return { label, unit: "ms", percentiles: of, count };
};

/** If one request in a hundred is later than this, and than this share of the p99, it distorts the p99. */
const LATE_MS = 5;
const LATE_SHARE = 0.2;

const BUSY_CONNECTION =
  "their connection was lost, or had too many unanswered. Use a lower --rate, or more --senders.";

export interface JudgedLoad extends TesterLoad {
  /** From the intended to the actual sending. */
  sentLateMs: Percentiles | null;
  missed: number;
  intended: number;
  ackMs: OpenPercentiles | null;
}

/**
 * Whether the tester, or the machine, made the figures worse than the server's own.
 * @param missedWhy why requests were missed, and what helps
 */
export function judgeLoad(load: JudgedLoad, missedWhy = BUSY_CONNECTION): string[] {
  const { missed, intended, sentLateMs, ackMs } = load;
  const late = sentLateMs && ackMs && sentLateMs.p99 > Math.max(LATE_MS, (ackMs.p99 ?? 0) * LATE_SHARE);
  return [
    ...applying(
      missed > 0 &&
        `${missed} of ${intended} due requests were not made, and are not in the latencies: ${missedWhy}`,
      late &&
        `The tester was late: one request in a hundred was made ${sentLateMs.p99.toFixed(1)} ms or more after it was due. ` +
          "The latencies include that. Use more --sending-threads, a lower --rate, or another machine for the tester.",
    ),
    ...testerCaveats(load, ackMs?.p100),
  ];
}
