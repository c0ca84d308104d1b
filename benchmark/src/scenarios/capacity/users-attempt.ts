import { currentLimits, findObstacles } from "../../cli/preflight.ts";
import { plannedMessages, type BroadcastPlan } from "../../kernels/broadcast/broadcast-plan.ts";
import { measureBroadcast, SHORTEST_IDLE_MS } from "../../kernels/broadcast/broadcast-run.ts";
import type { BroadcastMeasurement } from "../../kernels/broadcast/broadcast-summary.ts";
import type { Prepared } from "../../targets/target.ts";
import {
  failedAttempt,
  judgeAttempt,
  tryAttempt,
  type AttemptPlan,
  type CapacityAttempt,
  type CapacityContext,
  type Evidence,
} from "./attempt.ts";

/** Messages per attempt; the worst of them counts. */
export const ATTEMPT_MESSAGES = 5;
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
    if (missing) return failedAttempt(users, missing, missing.why, true);
    return tryAttempt(context, users, async (resourceOf) => {
      if (prepared === undefined || prepared.users < users)
        prepared = { users, ...(await target.prepare(users, progress, signal)) };
      const { credentials, registration } = prepared;
      const part = { credentials: async () => (await credentials()).slice(0, users), registration };
      const measured = await measureBroadcast({ ...context, prepared: part, plan: broadcast });
      const seen = seenIn(measured);
      return judgeAttempt(users, seen, plan.limitMs, () =>
        resourceOf(evidenceOf(measured.generator, seen.serverCores)),
      );
    });
  };
}

function seenIn({ counts, server, warm, first, cold, rounds }: BroadcastMeasurement) {
  const { acknowledged, stored, sent, lost, duplicates, outOfOrder, corrupted, dropped } = counts;
  const isComplete = rounds.every(({ p100Ms }) => p100Ms !== null);
  // Without what the idle server uses between the messages.
  const cpuMs = server.netCpuMsPerMessage;
  return {
    worstMs: isComplete ? (warm.p100Ms?.max ?? null) : null,
    medianMs: isComplete ? (warm.p100Ms?.median ?? null) : null,
    firstMs: first?.p100Ms ?? null,
    coldMs: cold?.p100Ms ?? null,
    acknowledged,
    lost,
    duplicates,
    outOfOrder,
    corrupted,
    unstored: stored === null ? 0 : acknowledged - stored,
    storedTwice: counts.storedTwice ?? 0,
    refused: sent - acknowledged,
    dropped,
    serverCores: cpuMs === null || !warm.p100Ms ? null : cpuMs / warm.p100Ms.median,
  };
}

function evidenceOf(
  tester: BroadcastMeasurement["generator"],
  serverCores: number | null,
): Partial<Evidence> {
  return {
    testerBusy: tester.receiverBusy,
    testerWaiting: tester.receiverWaiting,
    sentLateMs: tester.longestDelayMs,
    serverCores,
    otherProgramsCores: tester.otherProgramsCores,
  };
}

function broadcastPlan(users: number, plan: AttemptPlan): BroadcastPlan {
  return {
    users,
    kind: "light",
    probes: 0,
    threads: plan.threads,
    napMs: plan.napMs,
    connecting: plan.connecting,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    idleMs: SHORTEST_IDLE_MS + 100,
    warmup: 2,
    messages: ATTEMPT_MESSAGES,
    intervalMs: 100,
    burst: [],
    burstRepeats: 1,
    timeoutMs: Math.max(1000, plan.limitMs * 2),
    payloadBytes: plan.payloadBytes,
  };
}
