import type { PressureMeasurement } from "./pressure-run.ts";

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
export function judgePressure(result: PressureMeasurement): string[] {
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
