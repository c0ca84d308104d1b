import type { Percentiles } from "../measure/percentiles.ts";
import type { MemoryResult } from "../overload/memory-watch.ts";

/** What became of one kind of request in one phase. */
export interface OperationResult {
  name: string;
  intended: number;
  ok: number;
  notSent: number;
  unanswered: number;
  refusedByCode: Record<string, number>;
  /** Of those that were answered well, from the intended time. */
  okMs: Percentiles | null;
}

export interface PressurePhase {
  name: string;
  durationMs: number;
  /** Requests per second that were meant to be sent; null: a closed loop, or nothing but the bystander. */
  offeredPerSecond: number | null;
  okPerSecond: number;
  load: OperationResult[];
  /** Somebody else on the server, from an address of its own: five `user.me` and two `message.send` a second. */
  bystander: OperationResult[];
  /** Answers of /readyz that spoke of overload, of all that were asked for once a second. */
  readyzOverloaded: number;
  readyzAsked: number;
  /** Cores that the servers, and the thread that makes the load, had on average. */
  serverCores: number | null;
  generatorCores: number;
}

/** `reads`: hostile readers within their limits. `mixed`: more of everything than the server can take. */
export interface PressureMeasurement {
  kind: "reads" | "mixed";
  users: number;
  gatewayThreads: number;
  phases: PressurePhase[];
  /** `mixed`: good answers per second in the best closed loop, and how much of it was left under overload. */
  peakPerSecond: number | null;
  goodputShare: number | null;
  /** `mixed`: from the end of the overload until nothing failed or took longer than a second any more. */
  recoveredAfterMs: number | null;
  /** From the first phase to the last. */
  memory: MemoryResult;
  memoryGrowthBytes: number | null;
  verdicts: string[];
  errors: { phase: string; code: string; count: number }[];
}

export const PRESSURE_METRICS = [
  "bystanderP99",
  "bystanderFailed",
  "memoryGrowthMiB",
  "goodputShare",
  "recoveredAfterMs",
];

/** What a bystander may wait, 99 of 100 times, while others read all they can. */
const BYSTANDER_MS = 250;
const GROWTH_MIB = 200;
const GOODPUT = 0.7;
const RECOVERED_MS = 5000;

const failures = ({ intended, ok }: OperationResult): number => intended - ok;

export function pressureMetrics(
  result: Omit<PressureMeasurement, "verdicts">,
): Record<string, number | null> {
  const seen = result.phases.flatMap(({ bystander }) => bystander);
  const slowest = seen.map(({ okMs }) => okMs?.p99).filter((value) => value !== undefined);
  return {
    bystanderP99: slowest.length === 0 ? null : Math.max(...slowest),
    bystanderFailed: seen.reduce((sum, operation) => sum + failures(operation), 0),
    memoryGrowthMiB: result.memoryGrowthBytes === null ? null : result.memoryGrowthBytes / 1024 / 1024,
    goodputShare: result.goodputShare,
    recoveredAfterMs: result.recoveredAfterMs,
  };
}

/** What the server did not keep; empty: it held. */
export function judgePressure(result: Omit<PressureMeasurement, "verdicts">): string[] {
  const { bystanderP99, bystanderFailed, memoryGrowthMiB, goodputShare, recoveredAfterMs } =
    pressureMetrics(result);
  const verdicts: string[] = [];
  const say = (isSo: boolean, text: string) => isSo && verdicts.push(text);
  if (result.kind === "reads") {
    say(
      (bystanderP99 ?? 0) > BYSTANDER_MS,
      `A bystander waited ${Math.round(bystanderP99!)} ms (p99): the goal is ${BYSTANDER_MS} ms.`,
    );
    say(bystanderFailed! > 0, `${bystanderFailed} calls of the bystander failed.`);
    say(
      (memoryGrowthMiB ?? 0) > GROWTH_MIB,
      `The services grew by ${Math.round(memoryGrowthMiB!)} MiB: the goal is ${GROWTH_MIB} MiB.`,
    );
    return verdicts;
  }
  say(
    goodputShare !== null && goodputShare! < GOODPUT,
    `Only ${Math.round(goodputShare! * 100)} % of the capacity was left under overload: the goal is ${GOODPUT * 100} %.`,
  );
  say(recoveredAfterMs === null, "Service was not normal again while it was watched.");
  say(
    (recoveredAfterMs ?? 0) > RECOVERED_MS,
    `Service was normal again only after ${(recoveredAfterMs! / 1000).toFixed(1)} s.`,
  );
  return verdicts;
}
