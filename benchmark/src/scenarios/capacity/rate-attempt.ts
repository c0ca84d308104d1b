import { measureSends, type Scene } from "../../kernels/requests/scenes.ts";
import type { LoadMeasurement } from "../../kernels/requests/load-run.ts";
import type { LoadPlan } from "../../kernels/requests/load.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { Prepared } from "../../targets/target.ts";
import {
  judgeAttempt,
  tryAttempt,
  type AttemptPlan,
  type CapacityAttempt,
  type CapacityContext,
  type Evidence,
} from "./attempt.ts";

/** At the beginning of each rate, not counted. */
export const RATE_WARM_UP_MS = 1000;

/**
 * Finds how many messages a second one group can take: each attempt sends at a fixed rate (open loop).
 * @returns makes an attempt
 */
export function rateAttempts(context: CapacityContext & { target: FanfareTarget }) {
  const { target, plan, progress, signal } = context;
  let prepared: Prepared | undefined;
  return (perSecond: number): Promise<CapacityAttempt> =>
    tryAttempt(context, perSecond, async (resourceOf) => {
      prepared ??= await target.prepare(plan.members + plan.senders, progress, signal);
      const scene = await sceneOf(target, plan, prepared);
      const { figures } = await measureSends({ ...context, plan: loadPlan(plan, perSecond) }, scene);
      return judgeAttempt(perSecond, seenIn(figures), plan.limitMs, () => resourceOf(evidenceOf(figures)));
    });
}

/** One group: some members only receive, the others also send. */
async function sceneOf(
  { meeting }: FanfareTarget,
  { members, senders }: AttemptPlan,
  { credentials, registration }: Prepared,
): Promise<Scene> {
  const users = members + senders;
  const tokens = (await credentials()) as string[];
  const connections = Int32Array.from({ length: users }, (_, i) => i);
  return {
    size: { users, senders, online: users, groups: 1, members: users },
    registration: registration!,
    receivers: tokens.slice(0, members),
    senders: tokens.slice(members),
    channels: [{ id: meeting.channelId, reader: meeting.owner, connections }],
    channelOf: () => 0,
    // The target removes the group.
    remove: () => Promise.resolve(),
  };
}

function loadPlan(plan: AttemptPlan, perSecond: number): LoadPlan {
  const { limitMs, durationMs, payloadBytes, connecting, napMs, threads: receivingThreads } = plan;
  const due = (ms: number) => Math.max(1, Math.round((perSecond * ms) / 1000));
  return {
    loop: { kind: "open", perSecond, durationMs, requests: due(durationMs) },
    warmUp: due(RATE_WARM_UP_MS),
    timeoutMs: Math.max(2000, limitMs * 2),
    payloadBytes,
    connecting,
    napMs,
    sendingThreads: 1,
    receivingThreads,
  };
}

function seenIn({ counts, delivered, server }: LoadMeasurement["figures"]) {
  const { refused, unanswered, unstored, storedTwice, dropped = 0 } = counts;
  return {
    ...counts,
    worstMs: delivered?.full?.p100 ?? null,
    medianMs: delivered?.full?.p50 ?? null,
    refused: refused + unanswered,
    unstored: unstored ?? 0,
    storedTwice: storedTwice ?? 0,
    dropped,
    serverCores: server?.cores ?? null,
  };
}

function evidenceOf({ tester, sentLateMs, server }: LoadMeasurement["figures"]): Partial<Evidence> {
  return {
    testerBusy: Math.max(tester.senderBusy ?? 0, tester.receiverBusy ?? 0),
    testerWaiting: Math.max(tester.senderWaiting ?? 0, tester.receiverWaiting ?? 0),
    sentLateMs: Math.max(sentLateMs?.p100 ?? 0, tester.standstillMs),
    serverCores: server?.cores ?? null,
    serverThreadBusy: server?.busiestThread ?? null,
    otherProgramsCores: tester.otherProgramsCores,
  };
}
