import {
  CLUSTER_OPTIONS,
  fraction,
  integer,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  time,
  type OptionValues,
} from "../cli/options.ts";
import type { RunTools } from "../cli/scenario.ts";
import { nowMs, untilAborted } from "../kernels/broadcast/clock.ts";
import {
  mapValues,
  openPercentiles,
  percentiles,
  type Percentiles,
} from "../kernels/broadcast/percentiles.ts";
import { watchTester, type TesterWatch } from "../kernels/broadcast/tester-watch.ts";
import { watchMemory } from "../kernels/requests/memory-watch.ts";
import {
  ackTimes,
  ackTimesWithin,
  Counted,
  counted,
  countMessages,
  countRequests,
  lateTimes,
  type Range,
} from "../kernels/requests/request-memory.ts";
import type { Span } from "../kernels/requests/request-threads.ts";
import { openSendLoad, type People } from "../kernels/requests/send-load.ts";
import type { ClusterSize } from "../platform/platform.ts";
import { StoredCopies } from "../receivers/message-tag.ts";
import type { FanfareTarget } from "../targets/fanfare/fanfare-target.ts";
import { recoveryOf } from "./overload-judge.ts";

/** Upper bound of the rate, because memory is allocated beforehand. */
const MOST_PER_SECOND = 60_000;
/** Steps of the search for the capacity: messages in flight. */
const IN_FLIGHT_STEPS = [16, 64, 256, 1024] as const;
/** The first part of a step is not counted. */
const STEP_WARM_UP_PART = 1 / 3;
/** Rate before and after the overload, to establish what is normal. */
const PROBES = { kind: "open", perSecond: 10 } as const;
/** For what is still in flight when sending ends; longer than the server's own limit for a write. */
const SETTLE_MS = 15_000;
const NOTHING: Span = { from: 0, to: 0, fromMs: 0, toMs: 0 };

export const OVERLOAD_OPTIONS = {
  ...CLUSTER_OPTIONS,
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  users: integer("Receivers", "Members who are online and receive", [1, 100_000], {
    alias: "u",
    default: 100,
  }),
  senders: integer("Messages", "Additional members who send", [1, 1000], { default: 50 }),
  stalled: integer(
    "Receivers",
    "Additional members with a hung client: an open connection that is never read",
    [0, 1000],
    { default: 1 },
  ),
  durationMs: time("Messages", "How long the overload lasts; no other phase lasts longer", {
    default: "60s",
    minMs: 1000,
    maxMs: 600_000,
  }),
  factor: fraction("Messages", "Multiple of the capacity to send", { default: 2, max: 100 }),
  capacity: integer("Messages", "The server's capacity in messages per second; default: measure it first", [
    1,
    MOST_PER_SECOND,
  ]),
};

export interface OverloadPlan extends Omit<OptionValues<typeof OVERLOAD_OPTIONS>, "threads"> {
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  threads: number;
}

/** Durations before and after the overload, none longer than the overload itself. */
function timesBesides({ durationMs }: OverloadPlan) {
  const atMost = (ms: number) => Math.min(ms, durationMs);
  return { stepMs: atMost(3000), baselineMs: atMost(2000), recoveryMs: atMost(10_000) };
}

export function mostMessages(plan: OverloadPlan): number {
  const { stepMs, baselineMs, recoveryMs } = timesBesides(plan);
  const besides = IN_FLIGHT_STEPS.length * stepMs + baselineMs + recoveryMs;
  return Math.ceil(((plan.durationMs + besides) / 1000) * MOST_PER_SECOND);
}

/** 0: nothing happened. */
function perSecondOf(amount: number, { fromMs, toMs }: Pick<Span, "fromMs" | "toMs">): number {
  return toMs > fromMs ? amount / ((toMs - fromMs) / 1000) : 0;
}

export type OverloadMeasurement = Awaited<ReturnType<typeof measureOverload>>;

/**
 * Finds the server's capacity, exceeds it, and checks how it behaves.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureOverload(
  target: FanfareTarget,
  plan: OverloadPlan,
  { progress, errors, signal }: RunTools,
) {
  const { users, senders, stalled } = plan;
  const besides = timesBesides(plan);
  const prepared = await target.prepare(users + senders + stalled, progress, signal);
  const tokens = (await prepared.credentials()) as string[];
  const people: People = {
    receivers: tokens.slice(0, users),
    senders: tokens.slice(users),
    stalled,
    sendersReceive: false,
    channels: [
      { id: target.meeting.channelId, connections: Int32Array.from({ length: users }, (_, i) => i) },
    ],
    channelOf: () => 0,
  };
  const sends = { ...plan, requests: mostMessages(plan), sendingThreads: 1, receivingThreads: plan.threads };
  const load = await openSendLoad(target, people, sends, signal);
  const { memory, audience, threads } = load;
  const services = watchMemory(target.platform!);
  /** Closed loops in the search for the capacity. */
  const steps: { inFlight: number; perSecond: number; ackMs: Percentiles | null }[] = [];
  let capacity: number | null = plan.capacity ?? null;
  let offered: number | null = null;
  let [before, overload, after] = [NOTHING, NOTHING, NOTHING];
  /** During the overload. */
  let tester: Awaited<ReturnType<TesterWatch["end"]>> | undefined;
  let copies: Uint8Array | undefined;
  await untilAborted(signal, measure()).finally(async () => {
    services.stop();
    errors.addAll("send", await load.close());
    errors.addAll("connection", audience.errors);
  });
  return summarise();

  async function measure(): Promise<void> {
    await load.connect(progress);
    if (capacity === null) await findCapacity();
    await load.settle(SETTLE_MS);
    before = await load.send(PROBES, besides.baselineMs);
    await overloadIt();
    after = await load.send(PROBES, besides.recoveryMs);
    await load.settle(SETTLE_MS);
    services.stop();
    copies = await readBack();
  }

  /** Closed loops with increasing concurrency: the best of them is the server's capacity. */
  async function findCapacity(): Promise<void> {
    const { stepMs } = besides;
    const search = async () => {
      for (const inFlight of IN_FLIGHT_STEPS) {
        const span = await load.send({ kind: "closed", inFlight }, stepMs);
        await load.settle(SETTLE_MS);
        const fromMs = span.fromMs + stepMs * STEP_WARM_UP_PART;
        const part = { ...span, fromMs };
        const acks = ackTimesWithin(memory, part);
        const perSecond = perSecondOf(acks.length, part);
        steps.push({ inFlight, perSecond, ackMs: percentiles(acks) });
        capacity = Math.max(capacity ?? 0, perSecond);
      }
    };
    await progress.during("measuring the capacity", IN_FLIGHT_STEPS.length, () => steps.length, search);
  }

  async function overloadIt(): Promise<void> {
    const perSecond = Math.min(MOST_PER_SECOND, Math.max(1, capacity! * plan.factor));
    offered = perSecond;
    const watch = await watchTester({
      sending: () => threads.sampleLoads(),
      receiving: () => audience.sampleLoads(),
      server: target,
    });
    const startedMs = nowMs();
    overload = await progress.during(
      "overload: seconds",
      plan.durationMs / 1000,
      () => Math.floor((nowMs() - startedMs) / 1000),
      () => load.send({ kind: "open", perSecond }, plan.durationMs),
    );
    tester = await watch.end();
  }

  async function readBack(): Promise<Uint8Array> {
    const stored = new StoredCopies(load.runId, memory.requests);
    const acknowledged = counted(memory, Counted.acknowledged);
    const read = () => stored.addAll(target.contents());
    await progress.during("reading back stored messages", acknowledged, () => stored.found, read);
    return stored.copies;
  }

  function deliveredMax(range: Range): number | null {
    return load.deliveryTimes(range).at(-1) ?? null;
  }

  function summarise() {
    const span = overload;
    const counts = countRequests(memory, span);
    const baselineAckMs = ackTimes(memory, before).at(-1) ?? null;
    const baselineDeliveredMs = deliveredMax(before);
    const recovery = recoveryOf({
      memory,
      range: after,
      endedMs: span.toMs,
      baselineAckMs,
      baselineDeliveredMs,
      deliveredMs: (index) => audience.tally.untilLast(index),
    });
    const isComplete = copies !== undefined;
    return {
      isComplete,
      capacity,
      offered,
      steps,
      baselineAckMs,
      baselineDeliveredMs,
      recovery,
      watchedMs: besides.recoveryMs,
      /** Requests during the overload. */
      counts,
      /** Answers after it are in the counts, but not in the rate. */
      acknowledgedPerSecond: perSecondOf(ackTimesWithin(memory, span).length, span),
      // Rejections are answers; what was missed or never answered is the slowest.
      acks: openPercentiles(ackTimes(memory, span), counts.missed + counts.unanswered),
      deliveredMaxMs: deliveredMax(span),
      senderDelayMs: lateTimes(memory, span).at(-1) ?? 0,
      memory: services.result(span.fromMs, span.toMs),
      tester,
      /** By kind of process, in a cluster; empty for a single instance. */
      cpuMsPerMessage: mapValues(
        tester?.server?.cpuSecondsByKind ?? {},
        (seconds) => (seconds * 1000) / counts.acknowledged,
      ),
      // Rejections can arrive after the overload.
      refusalsByCode: threads.errors(memory, { from: span.from, to: load.all.to }),
      /** Of the whole run. */
      withoutRetryAfter: counted(memory, Counted.withoutRetryAfter),
      dropped: audience.dropped,
      stored: countMessages({ memory, tally: undefined, connections: undefined, copies, isComplete }),
      ...countLost(),
    };
  }

  /** Disturbed receivers needn't get every message. */
  function countLost(): { lost: number; disturbed: number } {
    const receivers = [...audience.connections.disturbed.keys()];
    const undisturbed = receivers.filter((receiver) => audience.connections.disturbed[receiver] === 0);
    let lost = 0;
    // Before the end it may be in flight.
    const last = copies ? load.all.to : 0;
    for (let i = 0; i < last; i++) {
      if (!load.isAcknowledged(i) || audience.tally.isComplete(i)) continue;
      lost += undisturbed.filter((receiver) => !audience.tally.has(receiver, i)).length;
    }
    return { lost, disturbed: receivers.length - undisturbed.length };
  }
}
