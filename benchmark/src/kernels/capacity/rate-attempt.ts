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
import { judgeResource } from "./resource.ts";

const POLL_MS = 20;
/** At the beginning of each rate, not counted. */
export const RATE_WARM_UP_MS = 1000;

/**
 * Finds how many messages a second one group can take: each attempt sends at a fixed rate (open loop).
 * @returns makes an attempt
 */
export function rateAttempts(context: CapacityContext & { target: FanfareTarget }) {
  const { target, plan, progress, signal } = context;
  let tokens: string[] = [];
  return async (perSecond: number): Promise<CapacityAttempt> => {
    if (tokens.length === 0) {
      const { credentials } = await target.prepare(plan.members + plan.senders, progress, signal);
      tokens = credentials as string[];
    }
    const requests = Math.ceil((perSecond * (plan.durationMs + RATE_WARM_UP_MS)) / 1000) + 1;
    const load = await openGroupLoad(context, tokens, { ...plan, requests }, plan.members);
    const made = () => counted(load.memory, Counted.made);
    const attempt = () => attemptRate(context, perSecond, load);
    try {
      return await progress.during(`${perSecond} messages per second`, requests, made, attempt);
    } finally {
      await load.close();
    }
  };
}

async function attemptRate(
  { target, plan, signal }: CapacityContext & { target: FanfareTarget },
  perSecond: number,
  load: SendLoad,
): Promise<CapacityAttempt> {
  const { memory, threads: senders, audience } = load;
  const { limitMs } = plan;
  const durationMs = RATE_WARM_UP_MS + plan.durationMs;
  const due = (ms: number) => Math.floor((ms * perSecond) / 1000);
  const [observed, span] = await Promise.all([observe(), load.send({ kind: "open", perSecond }, durationMs)]);
  await settle(nowMs() + Math.max(2000, limitMs * 2));
  const to = Math.min(span.to, due(durationMs));
  const range = { from: Math.min(to, due(RATE_WARM_UP_MS)), to };
  const { acknowledged, refused, unanswered, missed } = countRequests(memory, range);
  // A timer that fires some milliseconds late is no shortfall: the latencies already include it.
  const shortfall = due(durationMs) - range.to;
  const late = shortfall > plan.senders + perSecond / 20 ? shortfall : 0;
  const lost = lostIn(range);
  // A message that did not reach everyone has no time.
  const reached = lost > 0 ? null : spread([...load.deliveryTimes(range)]);
  const seen = {
    worstMs: reached?.max ?? null,
    medianMs: reached?.median ?? null,
    acknowledged,
    lost,
    refused: refused + unanswered,
    missed: missed + late,
    dropped: audience.dropped,
    serverCores: observed.serverCores,
  };
  return judgeAttempt(perSecond, seen, limitMs, () =>
    judgeResource({
      ...observed,
      errorCodes: Object.keys({ ...senders.errors(memory, span), ...audience.errors }),
      sentLateMs: lateTimes(memory, range).at(-1) ?? 0,
      missed: late,
      cores: availableParallelism(),
      memoryFree: process.availableMemory() / totalmem(),
      limitMs,
    }),
  );

  /** The server and the tester, while the messages that count are sent. */
  async function observe() {
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
  async function settle(deadlineMs: number): Promise<void> {
    await load.settle(deadlineMs);
    while (nowMs() < deadlineMs && lostIn(load.all) > 0) await sleep(POLL_MS, undefined, { signal });
  }

  function lostIn({ from, to: end }: Range): number {
    const { tally } = audience;
    let missing = 0;
    for (let i = from; i < end; i++)
      if (load.isAcknowledged(i)) missing += tally.expected(i) - tally.received(i);
    return missing;
  }
}
