import { availableParallelism, totalmem } from "node:os";
import { ExitCode, ExitError } from "../../cli/exit.ts";
import { plannedMessages, type BroadcastPlan } from "../broadcast/broadcast-plan.ts";
import { measureBroadcast, SHORTEST_IDLE_MS } from "../broadcast/broadcast-run.ts";
import { ErrorTable } from "../broadcast/error-table.ts";
import { currentLimits, findObstacles } from "../../cli/preflight.ts";
import type { BroadcastMeasurement } from "../broadcast/broadcast-summary.ts";
import type { GeneratorResult } from "../broadcast/generator-load.ts";
import type { Prepared } from "../../targets/target.ts";
import { failedAttempt, judgeAttempt, type CapacityAttempt, type CapacityPlan } from "./capacity.ts";
import type { CapacityContext } from "./capacity-run.ts";
import { judgeResource, type Resource } from "./resource.ts";

/** Messages per attempt; the worst of them counts. */
export const ATTEMPT_MESSAGES = 5;
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Finds how many members can be online: each attempt connects them all and sends some messages, one at a time.
 * @returns makes an attempt
 */
export function usersAttempts({ target, where, plan, progress, errors: all, signal }: CapacityContext) {
  let prepared: Prepared = { credentials: [], registration: null };
  return async (users: number): Promise<CapacityAttempt> => {
    const broadcast = broadcastPlan(users, plan);
    const needs = { ...broadcast, messages: plannedMessages(broadcast), ...where };
    const [missing] = findObstacles(needs, currentLimits());
    if (missing) return failedAttempt(users, missing, missing.why, true);
    if (prepared.credentials.length < users) prepared = await target.prepare(users, progress, signal);
    const part = { ...prepared, credentials: prepared.credentials.slice(0, users) };
    const errors = new ErrorTable();
    try {
      const run = { target, prepared: part, plan: broadcast, progress, errors, signal };
      const measured = await measureBroadcast(run);
      signal.throwIfAborted();
      return judge(users, plan.limitMs, measured, errors);
    } catch (error) {
      if (!(error instanceof ExitError) || error.code !== ExitCode.couldNotConnect) throw error;
      return failedAttempt(users, resourceOf(plan.limitMs, errors), error.message, false);
    } finally {
      for (const { phase, code, count } of errors.rows()) all.add(phase, code, count);
    }
  };
}

function judge(
  users: number,
  limitMs: number,
  measured: BroadcastMeasurement,
  errors: ErrorTable,
): CapacityAttempt {
  const { counts, server, warm, first, cold } = measured;
  const isComplete = measured.rounds.every(({ p100Ms }) => p100Ms !== null);
  // Without what the idle server uses between the messages.
  const cpuMs = server.netCpuMsPerMessage;
  const seen = {
    worstMs: isComplete ? (warm.p100Ms?.max ?? null) : null,
    medianMs: isComplete ? (warm.p100Ms?.median ?? null) : null,
    firstMs: first?.p100Ms ?? null,
    coldMs: cold?.p100Ms ?? null,
    acknowledged: counts.acknowledged,
    lost: counts.lost,
    refused: counts.sent - counts.acknowledged,
    dropped: counts.dropped,
    serverCores: cpuMs === null || !warm.p100Ms ? null : cpuMs / warm.p100Ms.median,
  };
  return judgeAttempt(users, seen, limitMs, () => resourceOf(limitMs, errors, measured, seen.serverCores));
}

function resourceOf(
  limitMs: number,
  errors: ErrorTable,
  measured?: BroadcastMeasurement,
  serverCores: number | null = null,
): Resource {
  const tester: Partial<GeneratorResult> = measured?.generator ?? {};
  return judgeResource({
    errorCodes: errors.rows().map(({ code }) => code),
    testerBusy: tester.receiverBusy ?? null,
    testerWaiting: tester.receiverWaiting ?? null,
    sentLateMs: tester.longestDelayMs ?? 0,
    missed: 0,
    serverCores,
    serverThreadBusy: null,
    otherProgramsCores: tester.otherProgramsCores ?? null,
    cores: availableParallelism(),
    memoryFree: process.availableMemory() / totalmem(),
    limitMs,
  });
}

function broadcastPlan(users: number, plan: CapacityPlan): BroadcastPlan {
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
