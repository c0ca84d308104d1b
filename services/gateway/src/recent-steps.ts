import { hostname } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { LIMITS, type GatewayStep } from "@fanfare/contract";
import { defineService, type Handler, type NodeContext, PROGRAM_VERSION } from "@fanfare/kernel";
import type { GatewayMetrics, GatewayTotals } from "./metrics.ts";

const STEP_MS = LIMITS.metricsStepMs;
const NS_PER_MS = 1e6;
/** Identifies the process, whose threads share its memory. */
const PROCESS = `${hostname()}:${process.pid}`;

/** Gauges at the end of a step. */
export type Reading = Pick<GatewayStep, "connections" | "eventLoopDelayMs" | "memoryBytes">;

/** Recent activity of one gateway, in steps that end at the same times in all gateways. */
export class RecentSteps {
  readonly #steps: GatewayStep[] = [];
  #totals: GatewayTotals;
  #sinceMs: number;

  constructor(totals: GatewayTotals, nowMs: number) {
    this.#totals = totals;
    this.#sinceMs = nowMs;
  }

  /** Oldest first. */
  get steps(): readonly GatewayStep[] {
    return this.#steps;
  }

  /** @returns the milliseconds until the next step ends */
  endStep(nowMs: number, totals: GatewayTotals, reading: Reading): number {
    const endedAtMs = Math.round(nowMs / STEP_MS) * STEP_MS;
    // The clock was set back.
    while ((this.#steps.at(-1)?.endedAtMs ?? 0) >= endedAtMs) this.#steps.pop();
    const { messages, deliveries, fanout, fanoutMaxMs } = totals;
    this.#steps.push({
      ...reading,
      endedAtMs,
      durationMs: Math.max(1, nowMs - this.#sinceMs),
      messages: messages - this.#totals.messages,
      deliveries: deliveries - this.#totals.deliveries,
      fanout: newIn(fanout, this.#totals.fanout, fanoutMaxMs),
      fanoutMaxMs,
    });
    if (this.#steps.length > LIMITS.metricsMaxSteps) this.#steps.shift();
    this.#totals = totals;
    this.#sinceMs = nowMs;
    return endedAtMs + STEP_MS - nowMs;
  }
}

/** New entries per histogram bucket; empty if there are none. The last bucket ends at the maximum. */
function newIn(
  buckets: GatewayTotals["fanout"],
  before: GatewayTotals["fanout"],
  longestMs: number,
): GatewayStep["fanout"] {
  const total = (place: number, of: GatewayTotals["fanout"]): number => of[place]?.[1] ?? 0;
  const counts = buckets.map(([upToMs], place): [number, number] => [
    upToMs,
    total(place, buckets) - total(place - 1, buckets) - total(place, before) + total(place - 1, before),
  ]);
  if (counts.every(([, count]) => count === 0)) return [];
  return counts.flatMap(([upToMs, count]) => {
    if (upToMs !== Infinity) return [[upToMs, count]];
    return count === 0 ? [] : [[longestMs, count]];
  });
}

export interface WatchedSteps {
  recent: RecentSteps;
  stop: () => void;
}

/** @param connections returns the number of connected sockets */
export async function watchSteps(metrics: GatewayMetrics, connections: () => number): Promise<WatchedSteps> {
  const iterations = monitorEventLoopDelay({ samplePerIteration: true });
  iterations.enable();
  const stopping = new AbortController();
  const recent = new RecentSteps(await metrics.totals(), Date.now());
  let memoryBytes = 0;
  const again = async (): Promise<void> => {
    const totals = await metrics.totals();
    if (stopping.signal.aborted) return;
    const eventLoopDelayMs = iterations.max / NS_PER_MS;
    iterations.reset();
    memoryBytes = readMemory() ?? memoryBytes;
    const reading = { connections: connections(), eventLoopDelayMs, memoryBytes };
    timer = setTimeout(() => void again(), recent.endStep(Date.now(), totals, reading));
  };
  let timer = setTimeout(() => void again(), STEP_MS - (Date.now() % STEP_MS));
  return {
    recent,
    stop() {
      stopping.abort();
      clearTimeout(timer);
      iterations.disable();
    },
  };
}

/** undefined while no file can be opened, because the system reports it in a file. */
function readMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/**
 * Actions that every gateway handles itself.
 * @param recent returns undefined while the gateway doesn't run
 */
export function recentActions(node: NodeContext, recent: () => RecentSteps | undefined) {
  const getStatus: Handler<"server.getStatus"> = () => ({
    version: PROGRAM_VERSION,
    uptimeMs: Math.round(process.uptime() * 1000),
  });
  const getSteps: Handler<"gateway.getSteps"> = () => ({
    process: PROCESS,
    steps: [...(recent()?.steps ?? [])],
  });
  return defineService(node, {
    name: "gateway",
    actions: { "server.getStatus": getStatus, "gateway.getSteps": getSteps },
  }).actions;
}
