import { availableParallelism, totalmem } from "node:os";
import { ExitCode, ExitError } from "../../cli/exit.ts";
import { plannedMessages, type BroadcastPlan } from "../broadcast/broadcast-plan.ts";
import { measureBroadcast } from "../broadcast/broadcast-run.ts";
import { ErrorTable } from "../broadcast/error-table.ts";
import { currentLimits } from "../../cli/preflight.ts";
import type { BroadcastMeasurement } from "../broadcast/broadcast-summary.ts";
import type { Prepared } from "../../targets/target.ts";
import { failedAttempt, judgeAttempt, type CapacityAttempt, type CapacityPlan } from "./capacity.ts";
import type { CapacityContext } from "./capacity-run.ts";
import { findMissingResource, judgeResource, type Resource } from "./resource.ts";

/** Messages per attempt; the worst of them counts. */
const MESSAGES = 5;
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Finds how many members can be online: each attempt connects them all and sends some messages, one at a time.
 */
export class UsersAttempts {
  readonly #context: CapacityContext;
  #prepared: Prepared = { credentials: [], registration: null };

  constructor(context: CapacityContext) {
    this.#context = context;
  }

  async attempt(users: number): Promise<CapacityAttempt> {
    const { target, where, plan, progress, signal } = this.#context;
    const broadcast = broadcastPlan(users, plan);
    const needs = { ...broadcast, messages: plannedMessages(broadcast), ...where };
    const missing = findMissingResource(needs, currentLimits());
    if (missing) return failedAttempt(users, missing, missing.why, true);
    if (this.#prepared.credentials.length < users)
      this.#prepared = await target.prepare(users, progress, signal);
    const prepared = { ...this.#prepared, credentials: this.#prepared.credentials.slice(0, users) };
    const errors = new ErrorTable();
    try {
      const measured = await measureBroadcast({
        target,
        prepared,
        plan: broadcast,
        progress,
        errors,
        signal,
      });
      signal.throwIfAborted();
      return this.#judge(users, measured, errors);
    } catch (error) {
      if (!(error instanceof ExitError) || error.code !== ExitCode.couldNotConnect) throw error;
      return failedAttempt(users, this.#resource(errors), error.message, false);
    } finally {
      for (const { phase, code, count } of errors.rows()) this.#context.errors.add(phase, code, count);
    }
  }

  #judge(users: number, measured: BroadcastMeasurement, errors: ErrorTable): CapacityAttempt {
    const { counts, server, warm, first, cold } = measured;
    const isComplete = measured.rounds.every(({ p100Ms }) => p100Ms !== null);
    const cpuMs = server.cpuMsPerMessage;
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
    return judgeAttempt(users, seen, this.#context.plan.limitMs, () =>
      this.#resource(errors, measured, seen.serverCores),
    );
  }

  #resource(
    errors: ErrorTable,
    measured?: BroadcastMeasurement,
    serverCores: number | null = null,
  ): Resource {
    return judgeResource({
      errorCodes: errors.rows().map(({ code }) => code),
      testerBusy: measured?.generator.receiverBusy ?? null,
      testerWaiting: measured?.generator.receiverWaiting ?? null,
      sentLateMs: measured?.generator.longestDelayMs ?? 0,
      missed: 0,
      serverCores,
      serverThreadBusy: null,
      otherProgramsCores: measured?.generator.otherProgramsCores ?? null,
      cores: availableParallelism(),
      memoryFree: process.availableMemory() / totalmem(),
      limitMs: this.#context.plan.limitMs,
    });
  }
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
    idleMs: 300,
    warmup: 2,
    messages: MESSAGES,
    intervalMs: 100,
    burst: [],
    burstRepeats: 1,
    timeoutMs: Math.max(1000, plan.limitMs * 2),
    payloadBytes: plan.payloadBytes,
  };
}
