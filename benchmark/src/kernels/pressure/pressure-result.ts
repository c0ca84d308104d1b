import type { Percentiles } from "../broadcast/percentiles.ts";
import type { MemoryResult } from "../requests/memory-watch.ts";

/** The outcome of one kind of request in one phase. */
export interface OperationResult {
  name: string;
  intended: number;
  ok: number;
  notSent: number;
  unanswered: number;
  refusedByCode: Record<string, number>;
  /** Of successful requests, from the intended time. */
  okMs: Percentiles | null;
}

export interface PressurePhase {
  name: string;
  durationMs: number;
  /** Requests offered per second; null: a closed loop, or only the bystander. */
  offeredPerSecond: number | null;
  okPerSecond: number;
  load: OperationResult[];
  /** Another user, from another address: five `user.me` and two `message.send` a second. */
  bystander: OperationResult[];
  /** How often /readyz reported overload, and how often it was asked (once a second). */
  readyzOverloaded: number;
  readyzAsked: number;
  /** Cores used on average. */
  serverCores: number | null;
}

/** `reads`: hostile readers within their limits. `mixed`: more of everything than the server can take. */
export interface PressureMeasurement {
  kind: "reads" | "mixed";
  users: number;
  gatewayThreads: number;
  phases: PressurePhase[];
  /** `mixed`: successful requests per second in the best closed loop, and the share of that under overload. */
  peakPerSecond: number | null;
  goodputShare: number | null;
  /** `mixed`: from the end of the overload until no request failed or took longer than a second. */
  recoveredAfterMs: number | null;
  /** From the first phase to the last. */
  memory: MemoryResult;
  memoryGrowthBytes: number | null;
  verdicts: string[];
  errors: { phase: string; code: string; count: number }[];
}

/** Goal for the bystander's p99 latency. */
const BYSTANDER_MS = 250;
const GROWTH_MIB = 200;
const GOODPUT = 0.7;
const RECOVERED_MS = 5000;

/** What another user noticed. */
export function bystanderOf({ phases }: Pick<PressureMeasurement, "phases">): {
  p99Ms: number | null;
  failed: number;
} {
  const seen = phases.flatMap(({ bystander }) => bystander);
  const slowest = seen.map(({ okMs }) => okMs?.p99).filter((value) => value !== undefined);
  return {
    p99Ms: slowest.length === 0 ? null : Math.max(...slowest),
    failed: seen.reduce((sum, { intended, ok }) => sum + intended - ok, 0),
  };
}

/** The goals that were missed. */
export function judgePressure(result: Omit<PressureMeasurement, "verdicts">): string[] {
  const { goodputShare, recoveredAfterMs, memoryGrowthBytes } = result;
  const bystander = bystanderOf(result);
  const memoryGrowthMiB = (memoryGrowthBytes ?? 0) / 1024 / 1024;
  const verdicts: string[] = [];
  const say = (isMissed: boolean, text: string) => isMissed && verdicts.push(text);
  if (result.kind === "reads") {
    say(
      (bystander.p99Ms ?? 0) > BYSTANDER_MS,
      `The bystander's p99 was ${Math.round(bystander.p99Ms!)} ms: the goal is ${BYSTANDER_MS} ms.`,
    );
    say(bystander.failed > 0, `${bystander.failed} calls of the bystander failed.`);
    say(
      memoryGrowthMiB > GROWTH_MIB,
      `The services grew by ${Math.round(memoryGrowthMiB)} MiB: the goal is ${GROWTH_MIB} MiB.`,
    );
    return verdicts;
  }
  say(
    goodputShare !== null && goodputShare < GOODPUT,
    `Only ${Math.round(goodputShare! * 100)} % of the capacity succeeded under overload: the goal is ${GOODPUT * 100} %.`,
  );
  say(recoveredAfterMs === null, "The server had not recovered when the run ended.");
  say(
    (recoveredAfterMs ?? 0) > RECOVERED_MS,
    `The server recovered only after ${(recoveredAfterMs! / 1000).toFixed(1)} s: the goal is ${RECOVERED_MS / 1000} s.`,
  );
  return verdicts;
}
