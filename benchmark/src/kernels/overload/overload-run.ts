import type { RunTools } from "../../cli/scenario.ts";
import { StoredCopies } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { openPercentiles, percentiles, type Percentiles } from "../broadcast/percentiles.ts";
import { busiestThread, watchServer, type ServerUse } from "../broadcast/resource-use.ts";
import { openGroupLoad } from "../requests/send-load.ts";
import { watchMemory } from "../requests/memory-watch.ts";
import {
  ackTimes,
  Counted,
  counted,
  countMessages,
  countRequests,
  lateTimes,
  times,
  type Range,
} from "../requests/request-memory.ts";
import type { Span } from "../requests/request-threads.ts";
import { judgeOverload, recoveryOf } from "./overload-judge.ts";
import {
  IN_FLIGHT_STEPS,
  MOST_PER_SECOND,
  mostMessages,
  PROBES_PER_SECOND,
  STEP_WARM_UP_PART,
  timesBesides,
  type OverloadPlan,
} from "./overload-plan.ts";

/** For what is still in flight when sending ends; longer than the server's own limit for a write. */
const SETTLE_MS = 15_000;
const NOTHING: Span = { from: 0, to: 0, fromMs: 0, toMs: 0 };

export interface OverloadContext extends RunTools {
  target: FanfareTarget;
  plan: OverloadPlan;
}

export type OverloadMeasurement = Awaited<ReturnType<typeof measureOverload>>;

/** A closed loop in the search for the capacity. */
interface CapacityStep {
  inFlight: number;
  perSecond: number;
  ackMs: Percentiles | null;
}

/**
 * Finds the server's capacity, exceeds it, and checks how it behaves.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureOverload({ target, plan, progress, errors, signal }: OverloadContext) {
  const { users, senders, stalled } = plan;
  const besides = timesBesides(plan);
  const prepared = await target.prepare(users + senders + stalled, progress, signal);
  const tokens = prepared.credentials as string[];
  const sends = { ...plan, requests: mostMessages(plan) };
  const load = await openGroupLoad({ target, progress, signal }, tokens, sends, users);
  const { memory, audience, threads } = load;
  const services = watchMemory(target.platform!);
  const probes = { kind: "open", perSecond: PROBES_PER_SECOND } as const;
  const steps: CapacityStep[] = [];
  const cpuByKind: Record<string, number> = {};
  let capacity: number | null = null;
  let offered: number | null = null;
  let [before, overload, after] = [NOTHING, NOTHING, NOTHING];
  let busy: { sender: number | null; receiver: number | null } = { sender: null, receiver: null };
  let server: ServerUse | undefined;
  let copies: Uint8Array | undefined;
  try {
    await findCapacity();
    await load.settle(nowMs() + SETTLE_MS);
    before = await load.send(probes, besides.baselineMs);
    await overloadIt();
    after = await load.send(probes, besides.recoveryMs);
    await load.settle(nowMs() + SETTLE_MS);
    services.stop();
    copies = await readBack();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    services.stop();
    errors.addAll("send", await load.close());
    errors.addAll("connection", audience.errors);
  }
  return summarise();

  /** Closed loops with increasing concurrency: the best of them is the server's capacity. */
  async function findCapacity(): Promise<void> {
    capacity = plan.capacity ?? null;
    if (plan.capacity !== undefined) return;
    const { stepMs } = besides;
    const search = async () => {
      for (const inFlight of IN_FLIGHT_STEPS) {
        const span = await load.send({ kind: "closed", inFlight }, stepMs);
        await load.settle(nowMs() + SETTLE_MS);
        const fromMs = span.fromMs + stepMs * STEP_WARM_UP_PART;
        const acks = ackTimesWithin(span, fromMs);
        const perSecond = acks.length / ((span.toMs - fromMs) / 1000);
        steps.push({ inFlight, perSecond, ackMs: percentiles(acks) });
        capacity = Math.max(capacity ?? 0, perSecond);
      }
    };
    await progress.during("measuring the capacity", IN_FLIGHT_STEPS.length, () => steps.length, search);
  }

  /** Of what was acknowledged from this time to the end of a span. */
  function ackTimesWithin(span: Span, fromMs: number): Float64Array {
    const { intendedAt, answeredAt } = memory;
    return times(span, (i) => {
      const atMs = answeredAt[i]!;
      const isWithin = load.isAcknowledged(i) && atMs >= fromMs && atMs < span.toMs;
      return isWithin ? atMs - intendedAt[i]! : null;
    });
  }

  async function overloadIt(): Promise<void> {
    const perSecond = Math.min(MOST_PER_SECOND, Math.max(1, capacity! * plan.factor));
    offered = perSecond;
    const [sending, receiving] = [await threads.sampleLoads(), await audience.sampleLoads()];
    const kindsBefore = target.cpuSecondsByKind();
    const endWatch = await watchServer(target);
    const startedMs = nowMs();
    overload = await progress.during(
      "overload: seconds",
      plan.durationMs / 1000,
      () => Math.floor((nowMs() - startedMs) / 1000),
      () => load.send({ kind: "open", perSecond }, plan.durationMs),
    );
    busy = {
      sender: busiestThread(sending, await threads.sampleLoads()).busy,
      receiver: busiestThread(receiving, await audience.sampleLoads()).busy,
    };
    server = await endWatch();
    const kinds = target.cpuSecondsByKind() ?? {};
    for (const [kind, seconds] of Object.entries(kinds))
      cpuByKind[kind] = seconds - (kindsBefore?.[kind] ?? 0);
  }

  async function readBack(): Promise<Uint8Array> {
    const stored = new StoredCopies(load.runId, memory.requests);
    const acknowledged = counted(memory, Counted.acknowledged);
    await progress.during(
      "reading back stored messages",
      acknowledged,
      () => stored.found,
      () => stored.addAll(target.contents()),
    );
    return stored.copies;
  }

  function deliveredMax(range: Range): number | null {
    return load.deliveryTimes(range).at(-1) ?? null;
  }

  function summarise() {
    const span = overload;
    const counts = countRequests(memory, span);
    // Rejections are answers; what was missed or never answered is the slowest.
    const acks = openPercentiles(ackTimes(memory, span), counts.missed + counts.unanswered);
    const durationMs = span.toMs - span.fromMs;
    const baseline = {
      ackMaxMs: ackTimes(memory, before).at(-1) ?? null,
      deliveredMaxMs: deliveredMax(before),
    };
    const recovery = recoveryOf({
      memory,
      range: after,
      endedMs: span.toMs,
      baselineAckMs: baseline.ackMaxMs,
      baselineDeliveredMs: baseline.deliveredMaxMs,
      deliveredMs: (index) => audience.tally.untilLast(index),
    });
    const used = services.result(span.fromMs, span.toMs);
    const values = {
      capacityPerSecond: capacity,
      offeredPerSecond: offered,
      acknowledgedPerSecond: durationMs === 0 ? 0 : counts.acknowledged / (durationMs / 1000),
      normalAfterMs: recovery.normalAfterMs,
      ackP50Ms: acks?.p50 ?? null,
      ackP99Ms: acks?.p99 ?? null,
      ackP100Ms: acks?.p100 ?? null,
      deliveryP100Ms: deliveredMax(span),
      memoryPeakBytes: used.peakBytes,
      memoryGrowthBytes: used.growthBytes,
      senderDelayMs: lateTimes(memory, span).at(-1) ?? 0,
      ...countValues(),
      serverCores: server?.cores ?? undefined,
      senderBusy: busy.sender ?? undefined,
      receiverBusy: busy.receiver ?? undefined,
      otherProgramsCores: server?.otherProgramsCores ?? undefined,
    };
    const { intended: sent, acknowledged, refused, missed, unanswered } = counts;
    const judged = { unanswered, watchedMs: besides.recoveryMs };
    return {
      plan,
      /** Of the whole run, and of the requests during the overload. */
      values,
      overload: { sent, acknowledged, refused, missed, unanswered },
      /** By kind of process, in a cluster; empty for a single instance. */
      cpuMsPerMessage: Object.fromEntries(
        Object.entries(cpuByKind).map(([kind, seconds]) => [kind, (seconds * 1000) / acknowledged]),
      ),
      steps,
      baseline,
      recovery,
      // Rejections can arrive after the overload.
      refusalsByCode: threads.errors(memory, { from: span.from, to: load.all.to }),
      memory: used.samples,
      /** Misbehavior of the server or the tester; empty: none. */
      verdicts: copies ? judgeOverload(values, judged) : [],
    };
  }

  function countValues() {
    const receivers = [...audience.connections.disturbed.keys()];
    const undisturbed = receivers.filter((receiver) => audience.connections.disturbed[receiver] === 0);
    const { acknowledged, stored, storedTwice, unstored } = countMessages({
      memory,
      tally: undefined,
      connections: undefined,
      copies,
      isComplete: copies !== undefined,
    });
    let lost = 0;
    // Before the end it may be in flight.
    const last = copies ? load.all.to : 0;
    for (let i = 0; i < last; i++) {
      if (!load.isAcknowledged(i) || audience.tally.isComplete(i)) continue;
      // Disturbed receivers needn't get every message.
      lost += undisturbed.filter((receiver) => !audience.tally.has(receiver, i)).length;
    }
    const disturbed = receivers.length - undisturbed.length;
    return {
      lost,
      unstored: unstored ?? undefined,
      storedTwice: storedTwice ?? undefined,
      withoutRetryAfter: counted(memory, Counted.withoutRetryAfter),
      acknowledged,
      stored: stored ?? undefined,
      disturbed,
    };
  }
}
