import { connectError } from "../../cli/exit.ts";
import type { RunContext } from "../../cli/scenario.ts";
import { Audience } from "../../receivers/audience.ts";
import { allocateDeliveries, DeliveryTally } from "../../receivers/delivery-tally.ts";
import { newRunId, taggedIndex } from "../../receivers/message-tag.ts";
import { known } from "../../report/metric.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { busiestThread } from "../broadcast/thread-load.ts";
import { groupSenders, settled } from "../requests/group-senders.ts";
import { MemoryWatch } from "../requests/memory-watch.ts";
import { countMessages } from "../requests/message-counts.ts";
import {
  ackTimes,
  allocateRequests,
  Counted,
  counted,
  countRequests,
  lateTimes,
  RequestState,
  times,
  type Range,
} from "../requests/request-memory.ts";
import type { RequestThreads, Span } from "../requests/request-threads.ts";
import { watchServer, type ServerUse } from "../requests/server-watch.ts";
import {
  IN_FLIGHT_STEPS,
  MOST_PER_SECOND,
  mostMessages,
  PROBES_PER_SECOND,
  STEP_WARM_UP_PART,
  timesBesides,
  type OverloadPlan,
} from "./overload-plan.ts";
import { judgeOverload, type CapacityStep, type OverloadMeasurement } from "./overload-result.ts";
import { recoveryOf } from "./recovery.ts";

/** For what is still in flight when sending ends; longer than the server's own limit for a write. */
const SETTLE_MS = 15_000;
const CONNECT_TIMEOUT_MS = 15_000;

export interface OverloadContext extends Omit<RunContext, "defer"> {
  target: FanfareTarget;
  plan: OverloadPlan;
}

/**
 * Finds the server's capacity, exceeds it, and checks how it behaves.
 * @throws {ExitError} if someone could not be connected
 */
export function measureOverload(context: OverloadContext): Promise<OverloadMeasurement> {
  return new OverloadRun(context).measure();
}

const NOTHING: Span = { from: 0, to: 0, fromMs: 0, toMs: 0 };

class OverloadRun {
  readonly #context: OverloadContext;
  readonly #times: ReturnType<typeof timesBesides>;
  readonly #runId = newRunId();
  readonly #tally: DeliveryTally;
  readonly #memory: ReturnType<typeof allocateRequests>;
  readonly #steps: CapacityStep[] = [];
  #audience: Audience<DeliveryTally> | undefined;
  #threads: RequestThreads | undefined;
  #services: MemoryWatch | undefined;
  /** The number of requests so far. */
  #next = 0;
  #capacity: number | null = null;
  #offered: number | null = null;
  #baseline = NOTHING;
  #overload = NOTHING;
  #recovery = NOTHING;
  #busy: { sender: number | null; receiver: number | null } = { sender: null, receiver: null };
  #server: ServerUse | undefined;
  #cpuByKind: Record<string, number> = {};
  #copies: Uint8Array | undefined;

  constructor(context: OverloadContext) {
    this.#context = context;
    const { users, overloadMs } = context.plan;
    this.#times = timesBesides({ overloadMs });
    this.#memory = allocateRequests(mostMessages(context.plan));
    this.#tally = new DeliveryTally(
      allocateDeliveries({
        receivers: users,
        channels: [Int32Array.from({ length: users }, (_, i) => i)],
        messages: this.#memory.requests,
        channelOf: () => 0,
        intendedAt: this.#memory.intendedAt,
      }),
    );
  }

  async measure(): Promise<OverloadMeasurement> {
    const { target, plan, progress, errors, signal } = this.#context;
    const { users, senders, stalled, payloadBytes } = plan;
    const prepared = await target.prepare(users + senders + stalled, progress, signal);
    const tokens = prepared.credentials as string[];
    try {
      this.#audience = await this.#connect(tokens.slice(0, users));
      const sending = { tokens: tokens.slice(users), stalled, payloadBytes };
      this.#threads = await groupSenders(target, { ...sending, runId: this.#runId }, signal);
      await this.#threads.prepare();
      this.#services = new MemoryWatch(target.platform!);
      await this.#findCapacity();
      await this.#settle();
      this.#baseline = await this.#send(PROBES_PER_SECOND, this.#times.baselineMs);
      await this.#overloadIt(this.#threads, this.#audience);
      this.#recovery = await this.#send(PROBES_PER_SECOND, this.#times.recoveryMs);
      await this.#settle();
      this.#services.stop();
      this.#copies = await this.#readBack();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#services?.stop();
      errors.addAll("send", (await this.#threads?.close()) ?? {});
      await this.#audience?.close();
      errors.addAll("connect", this.#audience?.errors ?? {});
    }
    return this.#summarise();
  }

  async #connect(credentials: string[]): Promise<Audience<DeliveryTally>> {
    const { target, plan, progress, signal } = this.#context;
    const audience = await Audience.start({
      kind: "light",
      urls: target.urls,
      dialect: target.dialect,
      runId: this.#runId,
      tally: this.#tally,
      probes: 0,
      workers: plan.workers,
      window: plan.window,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      napMs: plan.napMs,
    });
    await progress.during(
      "connecting",
      credentials.length,
      () => audience.online,
      () => audience.connect(credentials),
    );
    if (audience.gaveUp > 0 && !signal.aborted) {
      await audience.close();
      throw connectError(
        `${audience.gaveUp} members could not connect: ${Object.keys(audience.errors).join()}.`,
      );
    }
    audience.measure(true);
    return audience;
  }

  /** Closed loops with increasing concurrency: the best of them is the server's capacity. */
  async #findCapacity(): Promise<void> {
    const { plan, progress } = this.#context;
    this.#capacity = plan.capacity ?? null;
    if (plan.capacity !== undefined) return;
    const { stepMs } = this.#times;
    const search = async () => {
      for (const inFlight of IN_FLIGHT_STEPS) {
        const span = await this.#phase({ kind: "closed", inFlight }, stepMs);
        await this.#settle();
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
    const { intendedAt, answeredAt, state } = this.#memory;
    return times(span, (i) => {
      const atMs = answeredAt[i]!;
      const isWithin = state[i] === RequestState.acknowledged && atMs >= fromMs && atMs < span.toMs;
      return isWithin ? atMs - intendedAt[i]! : null;
    });
  }

  async #overloadIt(threads: RequestThreads, audience: Audience<DeliveryTally>): Promise<void> {
    const { plan, target, progress } = this.#context;
    this.#offered = Math.min(MOST_PER_SECOND, Math.max(1, this.#capacity! * plan.factor));
    const [sending, receiving] = [await threads.sampleLoads(), await audience.sampleLoads()];
    const kindsBefore = target.cpuSecondsByKind();
    const endWatch = await watchServer(target);
    const startedMs = nowMs();
    this.#overload = await progress.during(
      "overload: seconds",
      plan.overloadMs / 1000,
      () => Math.floor((nowMs() - startedMs) / 1000),
      () => this.#send(this.#offered!, plan.overloadMs),
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

  #send(perSecond: number, durationMs: number): Promise<Span> {
    return this.#phase({ kind: "open", perSecond, durationMs }, durationMs);
  }

  /** Sends for this long, without waiting for what is in flight. */
  async #phase(
    loop: { kind: "closed"; inFlight: number } | { kind: "open"; perSecond: number; durationMs: number },
    durationMs: number,
  ): Promise<Span> {
    const memory = this.#memory;
    const [first, senders] = [this.#next, this.#context.plan.senders];
    const requests = memory.requests - first;
    const phase = { loop: { ...loop, requests }, senders, memory, first };
    const span = await this.#threads!.runFor(durationMs, phase);
    this.#next = span.to;
    return span;
  }

  #settle(): Promise<void> {
    return settled(this.#memory, nowMs() + SETTLE_MS, this.#context.signal);
  }

  async #readBack(): Promise<Uint8Array> {
    const { target, progress } = this.#context;
    const copies = new Uint8Array(this.#memory.requests);
    let found = 0;
    const read = () =>
      target.storedIds((content) => {
        const index = taggedIndex(this.#runId, content);
        if (index < 0 || index >= copies.length) return;
        copies[index]!++;
        found++;
      });
    const acknowledged = counted(this.#memory, Counted.acknowledged);
    await progress.during("reading back stored messages", acknowledged, () => found, read);
    return copies;
  }

  /** Until the last receiver had it, of those who got it at all; the maximum over acknowledged messages. */
  #deliveredMax(range: Range): number | null {
    const isAcknowledged = (i: number) => this.#memory.state[i] === RequestState.acknowledged;
    return times(range, (i) => (isAcknowledged(i) ? this.#tally.untilLast(i) : null)).at(-1) ?? null;
  }

  #summarise(): OverloadMeasurement {
    const { plan, errors } = this.#context;
    const memory = this.#memory;
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
      deliveredMs: (index) => this.#tally.untilLast(index),
    });
    const services = this.#services?.result(span.fromMs, span.toMs);
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
      memoryPeakBytes: services?.peakBytes ?? null,
      memoryGrowthBytes: services?.growthBytes ?? null,
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
      values,
      overload: { sent, acknowledged, refused, missed, unanswered },
      cpuMsPerMessage: Object.fromEntries(
        Object.entries(this.#cpuByKind).map(([kind, seconds]) => [kind, (seconds * 1000) / acknowledged]),
      ),
      steps: this.#steps,
      baseline,
      recovery,
      // Rejections can arrive after the overload.
      refusalsByCode: this.#threads?.errors(memory, { from: span.from, to: this.#next }) ?? {},
      memory: services?.samples ?? [],
      verdicts: this.#copies ? judgeOverload(values, judged) : [],
      errors: errors.rows(),
    };
  }

  #countValues() {
    const copies = this.#copies;
    const disturbed: readonly number[] = [...(this.#audience?.connections.disturbed ?? [])];
    const undisturbed = [...disturbed.keys()].filter((receiver) => disturbed[receiver] === 0);
    const { acknowledged, stored, storedTwice, unstored } = countMessages({
      memory: this.#memory,
      tally: undefined,
      connections: undefined,
      copies,
      isComplete: copies !== undefined,
    });
    let lost = 0;
    // Before the end it may be in flight.
    const last = copies ? this.#next : 0;
    for (let i = 0; i < last; i++) {
      if (this.#memory.state[i] !== RequestState.acknowledged || this.#tally.isComplete(i)) continue;
      // Disturbed receivers needn't get every message.
      lost += undisturbed.filter((receiver) => !this.#tally.has(receiver, i)).length;
    }
    const count = disturbed.length - undisturbed.length;
    return { acknowledged, lost, disturbed: count, ...known({ stored, storedTwice, unstored }) };
  }
}
