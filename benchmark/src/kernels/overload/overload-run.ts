import type { RunTools } from "../../cli/scenario.ts";
import { StoredCopies } from "../../receivers/message-tag.ts";
import { known } from "../../report/metric.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { percentiles, type Percentiles } from "../broadcast/percentiles.ts";
import { busiestThread, watchServer, type ServerUse } from "../broadcast/resource-use.ts";
import { openGroupLoad, type SendLoad } from "../requests/send-load.ts";
import { MemoryWatch } from "../requests/memory-watch.ts";
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
export async function measureOverload(context: OverloadContext) {
  const { target, plan, progress, signal } = context;
  const { users, senders, stalled } = plan;
  const prepared = await target.prepare(users + senders + stalled, progress, signal);
  const sends = { ...plan, requests: mostMessages(plan) };
  const load = await openGroupLoad(context, prepared.credentials as string[], sends, users);
  return new OverloadRun(context, load).measure();
}

const NOTHING: Span = { from: 0, to: 0, fromMs: 0, toMs: 0 };

class OverloadRun {
  readonly #context: OverloadContext;
  readonly #times: ReturnType<typeof timesBesides>;
  readonly #load: SendLoad;
  readonly #steps: CapacityStep[] = [];
  readonly #services: MemoryWatch;
  #capacity: number | null = null;
  #offered: number | null = null;
  #baseline = NOTHING;
  #overload = NOTHING;
  #recovery = NOTHING;
  #busy: { sender: number | null; receiver: number | null } = { sender: null, receiver: null };
  #server: ServerUse | undefined;
  #cpuByKind: Record<string, number> = {};
  #copies: Uint8Array | undefined;

  constructor(context: OverloadContext, load: SendLoad) {
    this.#context = context;
    this.#times = timesBesides(context.plan);
    this.#load = load;
    this.#services = new MemoryWatch(context.target.platform!);
  }

  async measure() {
    const { errors, signal } = this.#context;
    const load = this.#load;
    const probes = { kind: "open", perSecond: PROBES_PER_SECOND } as const;
    try {
      await this.#findCapacity();
      await load.settle(nowMs() + SETTLE_MS);
      this.#baseline = await load.send(probes, this.#times.baselineMs);
      await this.#overloadIt();
      this.#recovery = await load.send(probes, this.#times.recoveryMs);
      await load.settle(nowMs() + SETTLE_MS);
      this.#services.stop();
      this.#copies = await this.#readBack();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#services.stop();
      errors.addAll("send", await load.close());
      errors.addAll("connection", load.audience.errors);
    }
    return this.#summarise();
  }

  /** Closed loops with increasing concurrency: the best of them is the server's capacity. */
  async #findCapacity(): Promise<void> {
    const { plan, progress } = this.#context;
    this.#capacity = plan.capacity ?? null;
    if (plan.capacity !== undefined) return;
    const { stepMs } = this.#times;
    const search = async () => {
      for (const inFlight of IN_FLIGHT_STEPS) {
        const span = await this.#load.send({ kind: "closed", inFlight }, stepMs);
        await this.#load.settle(nowMs() + SETTLE_MS);
        const fromMs = span.fromMs + stepMs * STEP_WARM_UP_PART;
        const acks = this.#ackTimesWithin(span, fromMs);
        const perSecond = acks.length / ((span.toMs - fromMs) / 1000);
        this.#steps.push({ inFlight, perSecond, ackMs: percentiles(acks) });
        this.#capacity = Math.max(this.#capacity ?? 0, perSecond);
      }
    };
    await progress.during("measuring the capacity", IN_FLIGHT_STEPS.length, () => this.#steps.length, search);
  }

  /** Of what was acknowledged from this time to the end of a span. */
  #ackTimesWithin(span: Span, fromMs: number): Float64Array {
    const { intendedAt, answeredAt } = this.#load.memory;
    return times(span, (i) => {
      const atMs = answeredAt[i]!;
      const isWithin = this.#load.isAcknowledged(i) && atMs >= fromMs && atMs < span.toMs;
      return isWithin ? atMs - intendedAt[i]! : null;
    });
  }

  async #overloadIt(): Promise<void> {
    const { plan, target, progress } = this.#context;
    const { threads, audience } = this.#load;
    const perSecond = Math.min(MOST_PER_SECOND, Math.max(1, this.#capacity! * plan.factor));
    this.#offered = perSecond;
    const [sending, receiving] = [await threads.sampleLoads(), await audience.sampleLoads()];
    const kindsBefore = target.cpuSecondsByKind();
    const endWatch = await watchServer(target);
    const startedMs = nowMs();
    this.#overload = await progress.during(
      "overload: seconds",
      plan.durationMs / 1000,
      () => Math.floor((nowMs() - startedMs) / 1000),
      () => this.#load.send({ kind: "open", perSecond }, plan.durationMs),
    );
    this.#busy = {
      sender: busiestThread(sending, await threads.sampleLoads()).busy,
      receiver: busiestThread(receiving, await audience.sampleLoads()).busy,
    };
    this.#server = await endWatch();
    const kinds = target.cpuSecondsByKind() ?? {};
    for (const [kind, seconds] of Object.entries(kinds))
      this.#cpuByKind[kind] = seconds - (kindsBefore?.[kind] ?? 0);
  }

  async #readBack(): Promise<Uint8Array> {
    const { target, progress } = this.#context;
    const { memory, runId } = this.#load;
    const stored = new StoredCopies(runId, memory.requests);
    const acknowledged = counted(memory, Counted.acknowledged);
    await progress.during(
      "reading back stored messages",
      acknowledged,
      () => stored.found,
      () => target.storedIds(stored.add),
    );
    return stored.copies;
  }

  #deliveredMax(range: Range): number | null {
    return this.#load.deliveryTimes(range).at(-1) ?? null;
  }

  #summarise() {
    const { plan } = this.#context;
    const { memory, audience, threads, all } = this.#load;
    const span = this.#overload;
    const counts = countRequests(memory, span);
    const acks = percentiles(ackTimes(memory, span));
    const durationMs = span.toMs - span.fromMs;
    const baseline = {
      ackMaxMs: ackTimes(memory, this.#baseline).at(-1) ?? null,
      deliveredMaxMs: this.#deliveredMax(this.#baseline),
    };
    const recovery = recoveryOf({
      memory,
      range: this.#recovery,
      endedMs: span.toMs,
      baselineAckMs: baseline.ackMaxMs,
      baselineDeliveredMs: baseline.deliveredMaxMs,
      deliveredMs: (index) => audience.tally.untilLast(index),
    });
    const services = this.#services.result(span.fromMs, span.toMs);
    const values = {
      capacityPerSecond: this.#capacity,
      offeredPerSecond: this.#offered,
      acknowledgedPerSecond: durationMs === 0 ? 0 : counts.acknowledged / (durationMs / 1000),
      normalAfterMs: recovery.normalAfterMs,
      withoutRetryAfter: counted(memory, Counted.withoutRetryAfter),
      ackP50Ms: acks?.p50 ?? null,
      ackP99Ms: acks?.p99 ?? null,
      ackP100Ms: acks?.p100 ?? null,
      deliveryP100Ms: this.#deliveredMax(span),
      memoryPeakBytes: services.peakBytes,
      memoryGrowthBytes: services.growthBytes,
      senderDelayMs: lateTimes(memory, span).at(-1) ?? 0,
      ...this.#countValues(),
      ...known({
        serverCores: this.#server?.cores ?? null,
        senderBusy: this.#busy.sender,
        receiverBusy: this.#busy.receiver,
        otherProgramsCores: this.#server?.otherProgramsCores ?? null,
      }),
    };
    const { intended: sent, acknowledged, refused, missed, unanswered } = counts;
    const judged = { unanswered, watchedMs: this.#times.recoveryMs };
    return {
      plan,
      /** Of the whole run, and of the requests during the overload. */
      values,
      overload: { sent, acknowledged, refused, missed, unanswered },
      /** By kind of process, in a cluster; empty for a single instance. */
      cpuMsPerMessage: Object.fromEntries(
        Object.entries(this.#cpuByKind).map(([kind, seconds]) => [kind, (seconds * 1000) / acknowledged]),
      ),
      steps: this.#steps,
      baseline,
      recovery,
      // Rejections can arrive after the overload.
      refusalsByCode: threads.errors(memory, { from: span.from, to: all.to }),
      memory: services.samples,
      /** Misbehavior of the server or the tester; empty: none. */
      verdicts: this.#copies ? judgeOverload(values, judged) : [],
    };
  }

  #countValues() {
    const copies = this.#copies;
    const { memory, audience, all } = this.#load;
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
    const last = copies ? all.to : 0;
    for (let i = 0; i < last; i++) {
      if (!this.#load.isAcknowledged(i) || audience.tally.isComplete(i)) continue;
      // Disturbed receivers needn't get every message.
      lost += undisturbed.filter((receiver) => !audience.tally.has(receiver, i)).length;
    }
    const disturbed = receivers.length - undisturbed.length;
    return { acknowledged, lost, disturbed, ...known({ stored, storedTwice, unstored }) };
  }
}
