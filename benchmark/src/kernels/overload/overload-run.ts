import { setTimeout as sleep } from "node:timers/promises";
import { connectError } from "../../cli/exit.ts";
import { nowMs } from "../broadcast/clock.ts";
import { watchOtherPrograms } from "../broadcast/machine-load.ts";
import type { ErrorTable } from "../broadcast/error-table.ts";
import type { ThreadLoad } from "../broadcast/thread-load.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { addressOf, Audience } from "../../receivers/audience.ts";
import { allocateCompactTally, CompactTally } from "../../receivers/compact-tally.ts";
import { socketIoPath } from "../../receivers/light-socket.ts";
import { newRunId, taggedIndex } from "../../receivers/message-tag.ts";
import type { Progress } from "../../report/progress.ts";
import { DIALECTS } from "../../targets/dialect.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { allocateOutcomes, answerTimes, countOutcomes, Outcome, type Range } from "./outcomes.ts";
import {
  IN_FLIGHT_STEPS,
  MOST_PER_SECOND,
  mostMessages,
  PROBES_PER_SECOND,
  STEP_WARM_UP_PART,
  timesBesides,
  type OverloadPlan,
} from "./overload-plan.ts";
import { judgeOverload, type OverloadMeasurement } from "./overload-result.ts";
import { recoveryOf } from "./recovery.ts";
import { SenderThread } from "./sender-thread.ts";
import type { SenderReport } from "./sender-messages.ts";

const POLL_MS = 20;
/** For what is still in flight when sending ends; longer than the server's own limit for a write. */
const SETTLE_MS = 15_000;

export interface OverloadContext {
  target: Pick<
    FanfareTarget,
    "prepare" | "urls" | "dialect" | "meeting" | "platform" | "storedIds" | "cpuSeconds" | "cpuSecondsByKind"
  >;
  plan: OverloadPlan;
  progress: Progress;
  errors: ErrorTable;
  signal: AbortSignal;
}

/**
 * Finds the server's capacity, exceeds it, and checks how it behaves.
 * @throws {ExitError} if someone could not be connected
 */
export function measureOverload(context: OverloadContext): Promise<OverloadMeasurement> {
  return new OverloadRun(context).measure();
}

interface Span {
  fromMs: number;
  toMs: number;
}

class OverloadRun {
  readonly #context: OverloadContext;
  readonly #times: ReturnType<typeof timesBesides>;
  readonly #runId = newRunId();
  readonly #tally: CompactTally;
  readonly #outcomes: ReturnType<typeof allocateOutcomes>;
  readonly #steps: OverloadMeasurement["capacity"]["steps"] = [];
  #audience: Audience<CompactTally> | undefined;
  #thread: SenderThread | undefined;
  #memory: MemoryWatch | undefined;
  #capacity: number | null = null;
  #offered: number | null = null;
  #baseline: Span | undefined;
  #overload: Span | undefined;
  #busy: { sender: number; receiver: number } | undefined;
  #serverCores: number | null = null;
  #cpuByKind: Record<string, number> = {};
  #otherCores: number | null = null;
  #before: SenderReport | undefined;
  #after: SenderReport | undefined;
  /** Taken once all is answered: rejections can arrive after the overload. */
  #last: SenderReport | undefined;
  #stored: Map<number, number> | undefined;

  constructor(context: OverloadContext) {
    this.#context = context;
    this.#times = timesBesides(context.plan);
    const most = mostMessages(context.plan);
    this.#tally = new CompactTally(allocateCompactTally(context.plan.users, most, nowMs()));
    this.#outcomes = allocateOutcomes(most);
  }

  async measure(): Promise<OverloadMeasurement> {
    const { target, plan, progress, errors, signal } = this.#context;
    const prepared = await target.prepare(plan.users + plan.senders + plan.stalled, progress, signal);
    const tokens = prepared.credentials as string[];
    try {
      this.#audience = await this.#connect(tokens.slice(0, plan.users));
      this.#thread = await this.#startSenders(tokens.slice(plan.users));
      this.#memory = new MemoryWatch(target.platform!);
      await this.#findCapacity(this.#thread);
      await this.#settle(this.#thread);
      this.#baseline = await this.#span(this.#thread, PROBES_PER_SECOND, this.#times.baselineMs);
      await this.#overloadIt(this.#thread, this.#audience);
      await this.#settle(this.#thread);
      this.#last = await this.#thread.report();
      this.#memory.stop();
      await this.#readBack();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#memory?.stop();
      await this.#thread?.close();
      await this.#audience?.close();
      for (const [code, count] of Object.entries(this.#audience?.errors ?? {}))
        errors.add("connect", code, count);
    }
    return this.#summarise();
  }

  async #connect(credentials: string[]): Promise<Audience<CompactTally>> {
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
      connectTimeoutMs: SETTLE_MS,
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

  async #startSenders(tokens: string[]): Promise<SenderThread> {
    const { target, plan, signal } = this.#context;
    const thread = new SenderThread({
      urls: target.urls,
      addresses: await Promise.all(target.urls.map(addressOf)),
      path: socketIoPath(DIALECTS[target.dialect].path),
      runId: this.#runId,
      channelId: target.meeting.channelId,
      payloadBytes: plan.payloadBytes,
      outcomes: this.#outcomes,
    });
    await thread.connect(tokens, plan.stalled, signal);
    return thread;
  }

  /** Closed loops with increasing concurrency: the best of them is the server's capacity. */
  async #findCapacity(thread: SenderThread): Promise<void> {
    const { plan, progress, signal } = this.#context;
    this.#capacity = plan.capacity ?? null;
    if (plan.capacity !== undefined) return;
    const warmUpMs = this.#times.stepMs * STEP_WARM_UP_PART;
    const search = async () => {
      for (const inFlight of IN_FLIGHT_STEPS) {
        thread.order({ type: "closed", inFlight });
        await sleep(warmUpMs, undefined, { signal });
        const fromMs = nowMs();
        await sleep(this.#times.stepMs - warmUpMs, undefined, { signal });
        const toMs = nowMs();
        await this.#settle(thread);
        const times = this.#acknowledgedWithin({ fromMs, toMs });
        const perSecond = times.length / ((toMs - fromMs) / 1000);
        this.#steps.push({ inFlight, perSecond, ackMs: percentiles(times) });
        this.#capacity = Math.max(this.#capacity ?? 0, perSecond);
      }
    };
    await progress.during("measuring the capacity", IN_FLIGHT_STEPS.length, () => this.#steps.length, search);
  }

  async #overloadIt(thread: SenderThread, audience: Audience<CompactTally>): Promise<void> {
    const { plan, target, progress } = this.#context;
    this.#offered = Math.min(MOST_PER_SECOND, Math.max(1, this.#capacity! * plan.factor));
    this.#before = await thread.report();
    const loads = await audience.sampleLoads();
    const cpuBefore = await target.cpuSeconds();
    const kindsBefore = target.cpuSecondsByKind();
    const endWatch = cpuBefore === null ? undefined : watchOtherPrograms(cpuBefore);
    const startedMs = nowMs();
    this.#overload = await progress.during(
      "overload: seconds",
      plan.overloadMs / 1000,
      () => Math.floor((nowMs() - startedMs) / 1000),
      () => this.#span(thread, this.#offered!, plan.overloadMs),
    );
    const durationMs = nowMs() - startedMs;
    this.#after = await thread.report();
    this.#busy = {
      sender: (this.#after.cpuMs - this.#before.cpuMs) / durationMs,
      receiver: busiest(loads, await audience.sampleLoads(), durationMs),
    };
    const cpuAfter = await target.cpuSeconds();
    if (cpuBefore !== null && cpuAfter !== null) {
      this.#cpuByKind = difference(kindsBefore ?? {}, target.cpuSecondsByKind() ?? {});
      this.#serverCores = ((cpuAfter - cpuBefore) * 1000) / durationMs;
      this.#otherCores = endWatch?.(cpuAfter) ?? null;
    }
    await this.#span(thread, PROBES_PER_SECOND, this.#times.recoveryMs);
  }

  /** Sends at a rate for this long, without waiting for what is in flight. */
  async #span(thread: SenderThread, perSecond: number, durationMs: number): Promise<Span> {
    const fromMs = nowMs();
    thread.order({ type: "open", perSecond });
    await sleep(durationMs, undefined, { signal: this.#context.signal });
    const toMs = nowMs();
    thread.order({ type: "pause" });
    return { fromMs, toMs };
  }

  /** Stops sending, and waits until everything is answered, but no longer than a server may take. */
  async #settle(thread: SenderThread): Promise<void> {
    thread.order({ type: "pause" });
    const deadline = nowMs() + SETTLE_MS;
    const all = () => ({ from: 0, to: Atomics.load(this.#outcomes.count, 0) });
    await sleep(POLL_MS, undefined, { signal: this.#context.signal });
    while (nowMs() < deadline && countOutcomes(this.#outcomes, all(), Outcome.sent) > 0)
      await sleep(POLL_MS, undefined, { signal: this.#context.signal });
  }

  async #readBack(): Promise<void> {
    const { target, progress } = this.#context;
    const stored = new Map<number, number>();
    const acknowledged = countOutcomes(this.#outcomes, this.#all, Outcome.acknowledged);
    const read = () =>
      target.storedIds((content) => {
        const index = taggedIndex(this.#runId, content);
        if (index >= 0) stored.set(index, (stored.get(index) ?? 0) + 1);
      });
    await progress.during("reading back stored messages", acknowledged, () => stored.size, read);
    this.#stored = stored;
  }

  get #all(): Range {
    return { from: 0, to: Atomics.load(this.#outcomes.count, 0) };
  }

  /** The messages due in this time: they are numbered in its order. */
  #within({ fromMs, toMs }: Span): Range {
    const { intendedAt } = this.#outcomes;
    const { to: end } = this.#all;
    let from = 0;
    while (from < end && intendedAt[from]! < fromMs) from++;
    let to = from;
    while (to < end && intendedAt[to]! < toMs) to++;
    return { from, to };
  }

  #acknowledgedWithin({ fromMs, toMs }: Span): Float64Array {
    const { intendedAt, answeredAt, outcome } = this.#outcomes;
    const times: number[] = [];
    for (let i = 0; i < this.#all.to; i++) {
      const atMs = answeredAt[i]!;
      if (outcome[i] === Outcome.acknowledged && atMs >= fromMs && atMs < toMs)
        times.push(atMs - intendedAt[i]!);
    }
    return Float64Array.from(times).sort();
  }

  /** Until the last receiver had it, of those who got it at all. */
  #deliveredMs(index: number): number | null {
    const { received, lastAt, epochMs } = this.#tally.memory;
    if (Atomics.load(received, index) === 0) return null;
    return lastAt[index]! + epochMs - this.#outcomes.intendedAt[index]!;
  }

  #deliveredMax({ from, to }: Range): number | null {
    let longest: number | null = null;
    for (let i = from; i < to; i++) {
      if (this.#outcomes.outcome[i] !== Outcome.acknowledged) continue;
      const ms = this.#deliveredMs(i);
      if (ms !== null) longest = Math.max(longest ?? 0, ms);
    }
    return longest;
  }

  #summarise(): OverloadMeasurement {
    const { plan, errors } = this.#context;
    const baseline = this.#baseline ? this.#within(this.#baseline) : { from: 0, to: 0 };
    const span = this.#overload ?? { fromMs: 0, toMs: 0 };
    const range = this.#within(span);
    const count = (outcome: number) => countOutcomes(this.#outcomes, range, outcome);
    const acknowledged = count(Outcome.acknowledged);
    const durationMs = span.toMs - span.fromMs;
    const baselineAckMs = answerTimes(this.#outcomes, baseline, Outcome.acknowledged).at(-1) ?? null;
    const baselineDeliveredMs = this.#deliveredMax(baseline);
    const result: Omit<OverloadMeasurement, "verdicts"> = {
      users: plan.users,
      senders: plan.senders,
      stalled: plan.stalled,
      gateways: plan.cluster?.gateways ?? null,
      workers: plan.cluster?.workers ?? null,
      capacity: { perSecond: this.#capacity, steps: this.#steps },
      overload: {
        offeredPerSecond: this.#offered,
        durationMs,
        intended: range.to - range.from,
        acknowledged,
        refused: count(Outcome.refused),
        notSent: count(Outcome.notSent),
        unanswered: count(Outcome.sent),
        acknowledgedPerSecond: durationMs === 0 ? 0 : acknowledged / (durationMs / 1000),
        ackMs: percentiles(answerTimes(this.#outcomes, range, Outcome.acknowledged)),
        refusedMs: percentiles(answerTimes(this.#outcomes, range, Outcome.refused)),
        deliveredMaxMs: this.#deliveredMax(range),
        refusalsByCode: difference(this.#before?.errors ?? {}, this.#last?.errors ?? {}),
        serverCores: this.#serverCores,
        cpuSecondsByKind: this.#cpuByKind,
        withoutRetryAfter: this.#last?.withoutRetryAfter ?? 0,
      },
      baseline: { ackMaxMs: baselineAckMs, deliveredMaxMs: baselineDeliveredMs },
      recovery: recoveryOf({
        outcomes: this.#outcomes,
        range: { from: range.to, to: this.#all.to },
        endedMs: span.toMs,
        watchedMs: this.#times.recoveryMs,
        baselineAckMs,
        baselineDeliveredMs,
        deliveredMs: (index) => this.#deliveredMs(index),
      }),
      memory: this.#memory?.result(span.fromMs, span.toMs) ?? {
        beforeBytes: null,
        peakBytes: null,
        growthBytes: null,
        databaseBeforeBytes: null,
        databaseAfterBytes: null,
        samples: [],
      },
      counts: this.#counts(),
      tester: {
        sentLateMs: this.#after?.latestMs ?? 0,
        senderBusy: this.#busy?.sender ?? null,
        receiverBusy: this.#busy?.receiver ?? null,
        otherProgramsCores: this.#otherCores,
      },
      errors: errors.rows(),
    };
    return { ...result, verdicts: this.#stored ? judgeOverload(result) : [] };
  }

  #counts(): OverloadMeasurement["counts"] {
    const { outcome } = this.#outcomes;
    const disturbed: readonly number[] = [...(this.#audience?.connections.disturbed ?? [])];
    const stored = this.#stored;
    const { to } = this.#all;
    let acknowledged = 0;
    let unstored = 0;
    let lost = 0;
    for (let i = 0; i < to; i++) {
      if (outcome[i] !== Outcome.acknowledged) continue;
      acknowledged++;
      if (stored?.has(i) === false) unstored++;
      // Before the end it may be in flight.
      if (!stored || this.#tally.isComplete(i)) continue;
      for (let r = 0; r < disturbed.length; r++) if (disturbed[r] === 0 && !this.#tally.has(r, i)) lost++;
    }
    const storedCount = stored && [...stored.values()].reduce((sum, times) => sum + times, 0);
    return {
      acknowledged,
      stored: storedCount ?? null,
      storedTwice: stored ? storedCount! - stored.size : null,
      unstored: stored ? unstored : null,
      disturbed: disturbed.reduce((sum, is) => sum + is, 0),
      resyncs: this.#audience?.resyncs ?? 0,
      lost,
    };
  }
}

function busiest(before: readonly ThreadLoad[], after: readonly ThreadLoad[], durationMs: number): number {
  return Math.max(...after.map((load, i) => (load.cpuMs - before[i]!.cpuMs) / durationMs));
}

function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const entries = Object.entries(after).map(([code, count]) => [code, count - (before[code] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}
