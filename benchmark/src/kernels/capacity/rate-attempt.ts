import { availableParallelism, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connectError } from "../../cli/exit.ts";
import { Audience } from "../../receivers/audience.ts";
import { allocateDeliveries, DeliveryTally } from "../../receivers/delivery-tally.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { spread } from "../broadcast/percentiles.ts";
import { busiestThread } from "../broadcast/thread-load.ts";
import { groupSenders, settled } from "../requests/group-senders.ts";
import {
  allocateRequests,
  Counted,
  counted,
  countRequests,
  lateTimes,
  RequestState,
  times,
  type Range,
  type RequestMemory,
} from "../requests/request-memory.ts";
import type { RequestThreads } from "../requests/request-threads.ts";
import { watchServer } from "../requests/server-watch.ts";
import { RATE_WARM_UP_MS } from "./capacity-plan.ts";
import type { CapacityAttempt } from "./capacity-result.ts";
import { reasonsOf } from "./reasons.ts";
import { judgeResource, type Evidence } from "./resource.ts";
import { busiestShare, threadTimes } from "./thread-times.ts";
import type { CapacityContext } from "./users-attempt.ts";

const POLL_MS = 20;

type RateContext = CapacityContext & { target: FanfareTarget };

/** Finds how many messages a second one group can take: each attempt sends at a fixed rate (open loop). */
export class RateAttempts {
  readonly #context: RateContext;
  #tokens: string[] = [];

  constructor(context: RateContext) {
    this.#context = context;
  }

  async attempt(perSecond: number): Promise<CapacityAttempt> {
    const { target, plan, progress, signal } = this.#context;
    if (this.#tokens.length === 0) {
      const { credentials } = await target.prepare(plan.members + plan.senders, progress, signal);
      this.#tokens = credentials as string[];
    }
    const attempt = await RateAttempt.open(this.#context, this.#tokens, perSecond);
    const label = `${perSecond} messages per second`;
    const { memory } = attempt;
    try {
      const made = () => counted(memory, Counted.made);
      return await progress.during(label, memory.requests, made, () => attempt.measure());
    } finally {
      await attempt.close();
    }
  }
}

class RateAttempt {
  readonly memory: RequestMemory;
  readonly #context: RateContext;
  readonly #perSecond: number;
  readonly #audience: Audience<DeliveryTally>;
  readonly #threads: RequestThreads;

  private constructor(
    context: RateContext,
    perSecond: number,
    audience: Audience<DeliveryTally>,
    threads: RequestThreads,
    memory: RequestMemory,
  ) {
    this.#context = context;
    this.#perSecond = perSecond;
    this.#audience = audience;
    this.#threads = threads;
    this.memory = memory;
  }

  static async open(
    context: RateContext,
    tokens: readonly string[],
    perSecond: number,
  ): Promise<RateAttempt> {
    const { target, plan, signal } = context;
    const { members, payloadBytes } = plan;
    const memory = allocateRequests(Math.ceil((perSecond * (plan.rateMs + RATE_WARM_UP_MS)) / 1000) + 1);
    const runId = newRunId();
    const deliveries = allocateDeliveries({
      receivers: members,
      channels: [Int32Array.from({ length: members }, (_, i) => i)],
      messages: memory.requests,
      channelOf: () => 0,
      intendedAt: memory.intendedAt,
    });
    const audience = await Audience.start({
      ...plan,
      urls: target.urls,
      dialect: target.dialect,
      runId,
      tally: new DeliveryTally(deliveries),
      probes: 0,
    });
    const threads = await groupSenders(
      target,
      { runId, tokens: tokens.slice(members), payloadBytes },
      signal,
    );
    const attempt = new RateAttempt(context, perSecond, audience, threads, memory);
    try {
      await audience.connect(tokens.slice(0, members));
      if (audience.gaveUp > 0) {
        const codes = Object.keys(audience.errors).join(", ");
        throw connectError(`${audience.gaveUp} of ${members} members could not connect: ${codes}.`);
      }
      await threads.prepare();
      return attempt;
    } catch (error) {
      await attempt.close();
      throw error;
    }
  }

  async measure(): Promise<CapacityAttempt> {
    const { plan, signal } = this.#context;
    const memory = this.memory;
    const durationMs = RATE_WARM_UP_MS + plan.rateMs;
    this.#audience.measure(true);
    const loop = { kind: "open" as const, perSecond: this.#perSecond, durationMs, requests: memory.requests };
    const sending = this.#threads.runFor(durationMs, { loop, senders: plan.senders, memory, first: 0 });
    // It fails if the signal aborts, like the observation.
    const [observed, span] = await Promise.all([this.#observe(), sending]);
    await this.#settle(nowMs() + Math.max(2000, plan.p100LimitMs * 2));
    const due = (ms: number) => Math.floor((ms * this.#perSecond) / 1000);
    const range = { from: Math.min(span.to, due(RATE_WARM_UP_MS)), to: span.to };
    signal.throwIfAborted();
    return this.#judge(range, due(durationMs), {
      ...observed,
      errorCodes: Object.keys({ ...this.#threads.errors(memory, span), ...this.#audience.errors }),
      sentLateMs: lateTimes(memory, range).at(-1) ?? 0,
      cores: availableParallelism(),
      memoryFree: process.availableMemory() / totalmem(),
      p100LimitMs: plan.p100LimitMs,
    });
  }

  async close(): Promise<void> {
    await this.#threads.close();
    await this.#audience.close();
  }

  /** The server and the tester, while the messages that count are sent. */
  async #observe(): Promise<
    Pick<Evidence, "testerBusy" | "testerWaiting" | "serverCores" | "serverThreadBusy" | "otherProgramsCores">
  > {
    const { target, plan, signal } = this.#context;
    const sampleLoads = async () =>
      (await Promise.all([this.#audience.sampleLoads(), this.#threads.sampleLoads()])).flat();
    const pids = target.platform?.processes.map(({ pid }) => pid) ?? [];
    await sleep(RATE_WARM_UP_MS, undefined, { signal });
    const [loads, startedMs, threads] = [await sampleLoads(), nowMs(), threadTimes(pids)];
    const endWatch = await watchServer(target);
    await sleep(plan.rateMs, undefined, { signal });
    const serverThreadBusy = busiestShare(threads, threadTimes(pids), nowMs() - startedMs);
    const { cores: serverCores, otherProgramsCores } = await endWatch();
    const { busy, waiting } = busiestThread(loads, await sampleLoads());
    return { testerBusy: busy, testerWaiting: waiting, serverThreadBusy, serverCores, otherProgramsCores };
  }

  /** Until all deliveries arrived, or the deadline. */
  async #settle(deadlineMs: number): Promise<void> {
    const { signal } = this.#context;
    await settled(this.memory, deadlineMs, signal);
    const all = { from: 0, to: this.memory.requests };
    while (nowMs() < deadlineMs && this.#lost(all) > 0) await sleep(POLL_MS, undefined, { signal });
  }

  #isAcknowledged(message: number): boolean {
    return this.memory.state[message] === RequestState.acknowledged;
  }

  #lost({ from, to }: Range): number {
    const { tally } = this.#audience;
    let lost = 0;
    for (let i = from; i < to; i++)
      if (this.#isAcknowledged(i)) lost += tally.expected(i) - tally.received(i);
    return lost;
  }

  #judge(range: Range, due: number, evidence: Omit<Evidence, "missed">): CapacityAttempt {
    const { tally, dropped } = this.#audience;
    const { acknowledged, refused, unanswered, missed } = countRequests(this.memory, range);
    // A timer that fires some milliseconds late is no shortfall: the latencies already include it.
    const late = due - range.to > this.#context.plan.senders + this.#perSecond / 20 ? due - range.to : 0;
    const untilLast = times(range, (i) => (this.#isAcknowledged(i) ? tally.untilLast(i) : null));
    const lost = this.#lost(range);
    // A message that did not reach everyone has no time.
    const reached = lost > 0 ? null : spread([...untilLast]);
    const { serverCores } = evidence;
    const seen = {
      worstMs: reached?.max ?? null,
      medianMs: reached?.median ?? null,
      firstMs: null,
      coldMs: null,
      acknowledged,
      lost,
      refused: refused + unanswered,
      missed: missed + late,
      dropped,
      serverCores,
    };
    const reasons = reasonsOf(seen, evidence.p100LimitMs);
    const held = reasons.length === 0;
    const resource = held ? null : judgeResource({ ...evidence, missed: late });
    return { value: this.#perSecond, held, isFinal: false, ...seen, reasons, resource };
  }
}
