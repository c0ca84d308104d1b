import { currentLimits, findObstacles } from "../../cli/preflight.ts";
import { plannedMessages, type BroadcastPlan } from "../../kernels/broadcast/broadcast-plan.ts";
import { measureBroadcast, SHORTEST_IDLE_MS } from "../../kernels/broadcast/broadcast-run.ts";
import type { BroadcastMeasurement } from "../../kernels/broadcast/broadcast-summary.ts";
import type { LoadMeasurement } from "../../kernels/requests/load-run.ts";
import type { LoadPlan } from "../../kernels/requests/load.ts";
import { measureSends, type Scene } from "../../kernels/requests/scenes.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { Prepared } from "../../targets/target.ts";
import { failedAttempt, tryAttempt, type CapacityAttempt, type CapacityContext } from "./attempt.ts";
import type { CapacityPlan } from "./capacity.ts";

/** Messages per attempt for members online; the worst of them counts. */
export const ATTEMPT_MESSAGES = 5;
/** At the beginning of each rate, not counted. */
export const RATE_WARM_UP_MS = 1000;
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Finds how many members can be online: each attempt connects them all and sends some messages, one at a time.
 * @returns makes an attempt
 */
export function usersAttempts(context: CapacityContext) {
  const { target, where, plan, progress, signal } = context;
  let prepared: (Prepared & { users: number }) | undefined;
  return async (users: number): Promise<CapacityAttempt> => {
    const broadcast = broadcastPlan(users, plan);
    const needs = { ...broadcast, messages: plannedMessages(broadcast), ...where };
    const [missing] = findObstacles(needs, currentLimits());
    if (missing) return failedAttempt(users, missing, [missing.why], true);
    return tryAttempt(context, users, async () => {
      if (prepared === undefined || prepared.users < users)
        prepared = { users, ...(await target.prepare(users, progress, signal)) };
      const { credentials, registration } = prepared;
      const part = { credentials: async () => (await credentials()).slice(0, users), registration };
      return broadcastAttempt(await measureBroadcast({ ...context, prepared: part, plan: broadcast }));
    });
  };
}

function broadcastAttempt(measured: BroadcastMeasurement) {
  const { counts, server, warm, first, cold, rounds, generator } = measured;
  const { acknowledged, stored, sent } = counts;
  const isComplete = rounds.every(({ p100Ms }) => p100Ms !== null);
  // Without what the idle server uses between the messages.
  const cpuMs = server.netCpuMsPerMessage;
  const serverCores = cpuMs === null || !warm.p100Ms ? null : cpuMs / warm.p100Ms.median;
  return {
    seen: {
      ...counts,
      worstMs: isComplete ? (warm.p100Ms?.max ?? null) : null,
      medianMs: isComplete ? (warm.p100Ms?.median ?? null) : null,
      firstMs: first?.p100Ms ?? null,
      coldMs: cold?.p100Ms ?? null,
      unstored: stored === null ? 0 : acknowledged - stored,
      storedTwice: counts.storedTwice ?? 0,
      refused: sent - acknowledged,
      serverCores,
    },
    evidence: {
      testerBusy: generator.receiverBusy,
      testerWaiting: generator.receiverWaiting,
      sentLateMs: generator.longestDelayMs,
      serverCores,
      otherProgramsCores: generator.otherProgramsCores,
    },
  };
}

function broadcastPlan(users: number, plan: CapacityPlan): BroadcastPlan {
  const { threads, napMs, connecting, payloadBytes, limitMs } = plan;
  return {
    users,
    kind: "light",
    probes: 0,
    threads,
    napMs,
    connecting,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    idleMs: SHORTEST_IDLE_MS + 100,
    warmup: 2,
    messages: ATTEMPT_MESSAGES,
    intervalMs: 100,
    burst: [],
    burstRepeats: 1,
    timeoutMs: Math.max(1000, limitMs * 2),
    payloadBytes,
  };
}

/**
 * Finds how many messages a second one group can take: each attempt sends at a fixed rate (open loop).
 * @returns makes an attempt
 */
export function rateAttempts(context: CapacityContext & { target: FanfareTarget }) {
  const { target, plan, progress, signal } = context;
  let prepared: Prepared | undefined;
  return (perSecond: number): Promise<CapacityAttempt> =>
    tryAttempt(context, perSecond, async () => {
      prepared ??= await target.prepare(plan.members + plan.senders, progress, signal);
      const scene = await sceneOf(target, plan, prepared);
      const load = await measureSends({ ...context, plan: loadPlan(plan, perSecond) }, scene);
      return loadAttempt(load.figures);
    });
}

/** One group: some members only receive, the others also send. */
async function sceneOf(
  { meeting }: FanfareTarget,
  { members, senders }: CapacityPlan,
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
  };
}

function loadPlan(plan: CapacityPlan, perSecond: number): LoadPlan {
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

function loadAttempt({ counts, delivered, server, tester, sentLateMs }: LoadMeasurement["figures"]) {
  const { refused, unanswered, unstored, storedTwice, dropped = 0 } = counts;
  const serverCores = server?.cores ?? null;
  return {
    seen: {
      ...counts,
      worstMs: delivered?.full?.p100 ?? null,
      medianMs: delivered?.full?.p50 ?? null,
      refused: refused + unanswered,
      unstored: unstored ?? 0,
      storedTwice: storedTwice ?? 0,
      dropped,
      serverCores,
    },
    evidence: {
      testerBusy: Math.max(tester.senderBusy ?? 0, tester.receiverBusy ?? 0),
      testerWaiting: Math.max(tester.senderWaiting ?? 0, tester.receiverWaiting ?? 0),
      sentLateMs: Math.max(sentLateMs?.p100 ?? 0, tester.standstillMs),
      serverCores,
      serverThreadBusy: server?.busiestThread ?? null,
      otherProgramsCores: tester.otherProgramsCores,
    },
  };
}
