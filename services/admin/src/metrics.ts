import { type GatewayStep, LIMITS, type MetricsStep, type Result } from "@fanfare/contract";
import type { Handlers } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import { cached } from "./cached.ts";

const MAX_AGE_MS = 1000;
/** A gateway that doesn't respond must not block the others. */
const TIMEOUT_MS = 2000;

type OfGateway = Result<"gateway.getSteps">;
type Named = GatewayStep & { process: string };

export function metricsActions({ node }: AdminDependencies): Handlers {
  const read = cached(MAX_AGE_MS, async () => {
    const { results, unresponsive } = await node.callEach("gateway.getSteps", {}, TIMEOUT_MS);
    return {
      stepMs: LIMITS.metricsStepMs,
      gateways: results.length,
      silentGateways: unresponsive,
      steps: mergeSteps(results),
    };
  });
  return { "admin.metrics": () => read() };
}

/** Merges the steps of all gateways, oldest first: counts are summed, and times are the maximum. */
export function mergeSteps(gateways: readonly OfGateway[]): MetricsStep[] {
  const steps = gateways.flatMap((gateway) =>
    gateway.steps.map((step): Named => ({ ...step, process: gateway.process })),
  );
  const byEnd = Map.groupBy(steps, ({ endedAtMs }) => endedAtMs);
  return [...byEnd]
    .toSorted(([one], [other]) => one - other)
    .slice(-LIMITS.metricsMaxSteps)
    .map(([endedAtMs, ofStep]) => mergeStep(endedAtMs, ofStep));
}

function mergeStep(endedAtMs: number, steps: readonly Named[]): MetricsStep {
  const perSecond = (count: (step: Named) => number): number =>
    sum(steps.map((step) => (count(step) / step.durationMs) * 1000));
  const memoryByProcess = new Map(steps.map(({ process, memoryBytes }) => [process, memoryBytes]));
  return {
    endedAt: new Date(endedAtMs).toISOString(),
    connections: sum(steps.map(({ connections }) => connections)),
    messagesPerSecond: perSecond(({ messages }) => messages),
    deliveriesPerSecond: perSecond(({ deliveries }) => deliveries),
    fanoutMs: fanoutOf(steps),
    eventLoopDelayMs: Math.max(...steps.map(({ eventLoopDelayMs }) => eventLoopDelayMs)),
    memoryBytes: sum([...memoryByProcess.values()]),
  };
}

function fanoutOf(steps: readonly GatewayStep[]): MetricsStep["fanoutMs"] {
  const byBound = Map.groupBy(
    steps.flatMap(({ fanout }) => fanout),
    ([upToMs]) => upToMs,
  );
  const buckets = [...byBound]
    .map(([upToMs, ofBound]) => ({ upToMs, count: sum(ofBound.map(([, count]) => count)) }))
    .toSorted((one, other) => one.upToMs - other.upToMs);
  const total = sum(buckets.map(({ count }) => count));
  if (total === 0) return null;
  const p100 = Math.max(...steps.map(({ fanoutMaxMs }) => fanoutMaxMs));
  /** As in Prometheus: linear interpolation within the bucket. */
  const percentile = (share: number): number => {
    let rank = total * share;
    let fromMs = 0;
    for (const { upToMs, count } of buckets) {
      if (count > 0 && rank <= count) return Math.min(p100, fromMs + ((upToMs - fromMs) * rank) / count);
      rank -= count;
      fromMs = upToMs;
    }
    return p100;
  };
  return { p50: percentile(0.5), p99: percentile(0.99), p100 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
