import { availableParallelism, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connectError } from "../../cli/exit.ts";
import { nowMs } from "../broadcast/clock.ts";
import { watchOtherPrograms } from "../broadcast/machine-load.ts";
import { spread, type Spread } from "../broadcast/percentiles.ts";
import { allocateOutcomes, countOutcomes, Outcome, type OutcomeMemory } from "../overload/outcomes.ts";
import { SenderThread } from "../overload/sender-thread.ts";
import { addressOf, Audience } from "../../receivers/audience.ts";
import { allocateCompactTally, CompactTally } from "../../receivers/compact-tally.ts";
import { socketIoPath } from "../../receivers/light-socket.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { DIALECTS } from "../../targets/dialect.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { RATE_WARM_UP_MS } from "./capacity-plan.ts";
import type { CapacityAttempt } from "./capacity-result.ts";
import { reasonsOf } from "./reasons.ts";
import { judgeResource, type Evidence } from "./resource.ts";
import { busiestShare, threadTimes } from "./thread-times.ts";
import type { CapacityContext } from "./users-attempt.ts";

const POLL_MS = 20;

/**
 * Finds how many messages a second one group can take: each attempt sends at a fixed rate, regardless of the responses
 * (open loop).
 */
export class RateAttempts {
  readonly #context: CapacityContext & { target: FanfareTarget };
  #tokens: string[] = [];

  constructor(context: CapacityContext & { target: FanfareTarget }) {
    this.#context = context;
  }

  async attempt(perSecond: number): Promise<CapacityAttempt> {
    const { target, plan, progress, signal } = this.#context;
    if (this.#tokens.length === 0) {
      const { credentials } = await target.prepare(plan.members + plan.senders, progress, signal);
      this.#tokens = credentials as string[];
    }
    const attempt = await RateAttempt.open(this.#context, this.#tokens, perSecond);
    try {
      const label = `${perSecond} messages per second`;
      return await progress.during(
        label,
        attempt.planned,
        () => attempt.sent,
        () => attempt.measure(),
      );
    } finally {
      await attempt.close();
    }
  }
}

class RateAttempt {
  readonly planned: number;
  readonly #context: CapacityContext & { target: FanfareTarget };
  readonly #perSecond: number;
  readonly #outcomes: OutcomeMemory;
  readonly #audience: Audience<CompactTally>;
  readonly #senders: SenderThread;

  private constructor(
    context: CapacityContext & { target: FanfareTarget },
    perSecond: number,
    outcomes: OutcomeMemory,
    audience: Audience<CompactTally>,
    senders: SenderThread,
  ) {
    this.#context = context;
    this.#perSecond = perSecond;
    this.#outcomes = outcomes;
    this.#audience = audience;
    this.#senders = senders;
    this.planned = plannedMessages(context, perSecond);
  }

  static async open(
    context: CapacityContext & { target: FanfareTarget },
    tokens: readonly string[],
    perSecond: number,
  ): Promise<RateAttempt> {
    const { target, plan, signal } = context;
    const messages = plannedMessages(context, perSecond);
    const outcomes = allocateOutcomes(messages);
    const runId = newRunId();
    const audience = await Audience.start({
      ...plan,
      urls: target.urls,
      dialect: target.dialect,
      runId,
      tally: new CompactTally(allocateCompactTally(plan.members, messages, nowMs())),
      probes: 0,
    });
    const senders = new SenderThread({
      urls: target.urls,
      addresses: await Promise.all(target.urls.map(addressOf)),
      path: socketIoPath(DIALECTS[target.dialect].path),
      runId,
      channelId: target.meeting.channelId,
      payloadBytes: plan.payloadBytes,
      outcomes,
    });
    const attempt = new RateAttempt(context, perSecond, outcomes, audience, senders);
    try {
      await audience.connect(tokens.slice(0, plan.members));
      if (audience.gaveUp > 0) {
        const codes = Object.keys(audience.errors).join(", ");
        throw connectError(`${audience.gaveUp} of ${plan.members} members could not connect: ${codes}.`);
      }
      await senders.connect(tokens.slice(plan.members), 0, signal);
      return attempt;
    } catch (error) {
      await attempt.close();
      throw error;
    }
  }

  get sent(): number {
    return Atomics.load(this.#outcomes.count, 0);
  }

  async measure(): Promise<CapacityAttempt> {
    const { target, plan, signal } = this.#context;
    const pids = target.platform?.processes.map(({ pid }) => pid) ?? [];
    this.#audience.measure(true);
    // A report ends the sender's loop: one before it, and one after it.
    const report = await this.#senders.report();
    const startedMs = nowMs();
    this.#senders.order({ type: "open", perSecond: this.#perSecond });
    await sleep(RATE_WARM_UP_MS, undefined, { signal });
    const from = this.sent;
    const loads = await this.#audience.sampleLoads();
    const cpu = await target.cpuSeconds();
    const endWatch = cpu === null || !target.isThrowaway ? undefined : watchOtherPrograms(cpu);
    const threads = threadTimes(pids);
    const fromMs = nowMs();
    await sleep(plan.rateMs, undefined, { signal });
    const toMs = nowMs();
    const to = this.sent;
    const durationMs = toMs - fromMs;
    const share = busiestShare(threads, threadTimes(pids), durationMs);
    const cpuAfter = await target.cpuSeconds();
    const otherProgramsCores = cpuAfter === null ? null : (endWatch?.(cpuAfter) ?? null);
    const loadsAfter = await this.#audience.sampleLoads();
    this.#senders.order({ type: "pause" });
    const reportAfter = await this.#senders.report();
    const senderBusy = (reportAfter.cpuMs - report.cpuMs) / (nowMs() - startedMs);
    await this.#settle(nowMs() + Math.max(2000, plan.p100LimitMs * 2));
    const due = Math.floor(((toMs - startedMs) * this.#perSecond) / 1000);
    const serverCores = cpu === null || cpuAfter === null ? null : ((cpuAfter - cpu) * 1000) / durationMs;
    return this.#judge({ from, to }, due, serverCores, {
      errorCodes: [...Object.keys(reportAfter.errors), ...Object.keys(this.#audience.errors)],
      testerBusy: Math.max(
        senderBusy,
        ...loadsAfter.map((load, i) => (load.cpuMs - loads[i]!.cpuMs) / durationMs),
      ),
      testerWaiting: Math.max(
        ...loadsAfter.map((load, i) => ((load.waitMs ?? 0) - (loads[i]!.waitMs ?? 0)) / durationMs),
      ),
      sentLateMs: reportAfter.latestMs,
      serverThreadBusy: share,
      otherProgramsCores,
      cores: availableParallelism(),
      memoryFree: process.availableMemory() / totalmem(),
      p100LimitMs: plan.p100LimitMs,
    });
  }

  async close(): Promise<void> {
    await this.#senders.close();
    await this.#audience.close();
  }

  /** Until all deliveries arrived, or the deadline. */
  async #settle(deadlineMs: number): Promise<void> {
    const isDone = () => {
      const all = { from: 0, to: this.sent };
      const isWaiting = countOutcomes(this.#outcomes, all, Outcome.sent) > 0;
      return !isWaiting && this.#lost(all) === 0;
    };
    while (nowMs() < deadlineMs && !isDone()) {
      await sleep(POLL_MS, undefined, { signal: this.#context.signal });
    }
  }

  #lost({ from, to }: { from: number; to: number }): number {
    const { received, receivers } = this.#audience.tally.memory;
    let lost = 0;
    for (let i = from; i < to; i++)
      if (this.#outcomes.outcome[i] === Outcome.acknowledged) lost += receivers - Atomics.load(received, i);
    return lost;
  }

  /** Of all acknowledged messages; null if one did not reach everyone. */
  #untilLast({ from, to }: { from: number; to: number }): Spread | null {
    const { lastAt, epochMs } = this.#audience.tally.memory;
    const times: number[] = [];
    for (let i = from; i < to; i++) {
      if (this.#outcomes.outcome[i] !== Outcome.acknowledged) continue;
      if (!this.#audience.tally.isComplete(i)) return null;
      times.push(lastAt[i]! + epochMs - this.#outcomes.intendedAt[i]!);
    }
    return spread(times);
  }

  #judge(
    range: { from: number; to: number },
    due: number,
    serverCores: number | null,
    evidence: Omit<Evidence, "missed" | "serverCores">,
  ): CapacityAttempt {
    const count = (outcome: number) => countOutcomes(this.#outcomes, range, outcome);
    const acknowledged = count(Outcome.acknowledged);
    // A timer that fires some milliseconds late is no shortfall: the latencies already include it.
    const late = due - range.to > this.#context.plan.senders + this.#perSecond / 20 ? due - range.to : 0;
    const times = this.#untilLast(range);
    const seen = {
      worstMs: times?.max ?? null,
      medianMs: times?.median ?? null,
      firstMs: null,
      coldMs: null,
      acknowledged,
      lost: this.#lost(range),
      refused: count(Outcome.refused) + count(Outcome.sent),
      missed: count(Outcome.notSent) + late,
      dropped: this.#audience.dropped,
      serverCores,
    };
    const reasons = reasonsOf(seen, evidence.p100LimitMs);
    const held = reasons.length === 0;
    const resource = held ? null : judgeResource({ ...evidence, missed: late, serverCores });
    return { value: this.#perSecond, held, isFinal: false, ...seen, reasons, resource };
  }
}

/** Room for all planned messages, and for those of a late timer. */
function plannedMessages({ plan }: CapacityContext, perSecond: number): number {
  return Math.ceil((perSecond * (plan.rateMs + RATE_WARM_UP_MS + 2000)) / 1000) + plan.senders;
}
