import { availableParallelism, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { spread } from "../broadcast/percentiles.ts";
import { busiestShare, busiestThread, threadTimes, watchServer } from "../broadcast/resource-use.ts";
import { openGroupLoad, type SendLoad } from "../requests/send-load.ts";
import { Counted, counted, countRequests, lateTimes, type Range } from "../requests/request-memory.ts";
import type { CapacityContext } from "./capacity-run.ts";
import { judgeAttempt, type CapacityAttempt } from "./capacity.ts";
import { judgeResource, type Evidence } from "./resource.ts";

const POLL_MS = 20;
/** At the beginning of each rate, not counted. */
const RATE_WARM_UP_MS = 1000;

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
    const requests = Math.ceil((perSecond * (plan.durationMs + RATE_WARM_UP_MS)) / 1000) + 1;
    const load = await openGroupLoad(this.#context, this.#tokens, { ...plan, requests }, plan.members);
    const { memory } = load;
    const attempt = new RateAttempt(this.#context, perSecond, load);
    const made = () => counted(memory, Counted.made);
    const measure = () => attempt.measure();
    try {
      const label = `${perSecond} messages per second`;
      return await progress.during(label, memory.requests, made, measure);
    } finally {
      await load.close();
    }
  }
}

class RateAttempt {
  readonly #context: RateContext;
  readonly #perSecond: number;
  readonly #load: SendLoad;

  constructor(context: RateContext, perSecond: number, load: SendLoad) {
    this.#context = context;
    this.#perSecond = perSecond;
    this.#load = load;
  }

  async measure(): Promise<CapacityAttempt> {
    const { plan } = this.#context;
    const { memory, threads, audience } = this.#load;
    const durationMs = RATE_WARM_UP_MS + plan.durationMs;
    const [observed, span] = await Promise.all([
      this.#observe(),
      this.#load.send({ kind: "open", perSecond: this.#perSecond }, durationMs),
    ]);
    await this.#settle(nowMs() + Math.max(2000, plan.limitMs * 2));
    const due = (ms: number) => Math.floor((ms * this.#perSecond) / 1000);
    const to = Math.min(span.to, due(durationMs));
    const range = { from: Math.min(to, due(RATE_WARM_UP_MS)), to };
    return this.#judge(range, due(durationMs), {
      ...observed,
      errorCodes: Object.keys({ ...threads.errors(memory, span), ...audience.errors }),
      sentLateMs: lateTimes(memory, range).at(-1) ?? 0,
      cores: availableParallelism(),
      memoryFree: process.availableMemory() / totalmem(),
      limitMs: plan.limitMs,
    });
  }

  /** The server and the tester, while the messages that count are sent. */
  async #observe(): Promise<
    Pick<Evidence, "testerBusy" | "testerWaiting" | "serverCores" | "serverThreadBusy" | "otherProgramsCores">
  > {
    const { target, plan, signal } = this.#context;
    const { audience, threads: senders } = this.#load;
    const sampleLoads = async () =>
      (await Promise.all([audience.sampleLoads(), senders.sampleLoads()])).flat();
    const pids = target.platform?.processes.map(({ pid }) => pid) ?? [];
    await sleep(RATE_WARM_UP_MS, undefined, { signal });
    const [loads, startedMs, threads] = [await sampleLoads(), nowMs(), threadTimes(pids)];
    const endWatch = await watchServer(target);
    await sleep(plan.durationMs, undefined, { signal });
    const serverThreadBusy = busiestShare(threads, threadTimes(pids), nowMs() - startedMs);
    const { cores: serverCores, otherProgramsCores } = await endWatch();
    const { busy, waiting } = busiestThread(loads, await sampleLoads());
    return { testerBusy: busy, testerWaiting: waiting, serverThreadBusy, serverCores, otherProgramsCores };
  }

  /** Until all deliveries arrived, or the deadline. */
  async #settle(deadlineMs: number): Promise<void> {
    const { signal } = this.#context;
    await this.#load.settle(deadlineMs);
    while (nowMs() < deadlineMs && this.#lost(this.#load.all) > 0)
      await sleep(POLL_MS, undefined, { signal });
  }

  #lost({ from, to }: Range): number {
    const { tally } = this.#load.audience;
    let lost = 0;
    for (let i = from; i < to; i++)
      if (this.#load.isAcknowledged(i)) lost += tally.expected(i) - tally.received(i);
    return lost;
  }

  #judge(range: Range, due: number, evidence: Omit<Evidence, "missed">): CapacityAttempt {
    const { memory, audience } = this.#load;
    const { acknowledged, refused, unanswered, missed } = countRequests(memory, range);
    // A timer that fires some milliseconds late is no shortfall: the latencies already include it.
    const late = due - range.to > this.#context.plan.senders + this.#perSecond / 20 ? due - range.to : 0;
    const lost = this.#lost(range);
    // A message that did not reach everyone has no time.
    const reached = lost > 0 ? null : spread([...this.#load.deliveryTimes(range)]);
    const seen = {
      worstMs: reached?.max ?? null,
      medianMs: reached?.median ?? null,
      acknowledged,
      lost,
      refused: refused + unanswered,
      missed: missed + late,
      dropped: audience.dropped,
      serverCores: evidence.serverCores,
    };
    return judgeAttempt(this.#perSecond, seen, evidence.limitMs, () =>
      judgeResource({ ...evidence, missed: late }),
    );
  }
}
