import type { Figure } from "../report/figures.ts";
import type { Observation } from "../report/observations.ts";
import { median } from "../measure/limit-figures.ts";
import { rankTest, smallestProbability } from "./rank-test.ts";

export type Verdict =
  | "better"
  | "worse"
  /** No larger than between equal servers. */
  | "within the noise"
  /** Even sides that don't overlap would not be significant. */
  | "too few runs";

/** One figure of one row, on both sides. */
export interface Difference {
  row: string;
  figure: Pick<Figure, "key" | "label" | "unit" | "better">;
  /** Medians. */
  base: number;
  other: number;
  runs: { base: number; other: number };
  /** New ÷ base; null: the base is 0. */
  ratio: number | null;
  /** Probability of a difference this large between equal servers. */
  probability: number;
  verdict: Verdict;
}

/** @param limit the significance level, for example 0.05 */
export function compare(
  base: readonly Observation[],
  other: readonly Observation[],
  limit: number,
): Difference[] {
  const rows = [...new Set(base.map(({ row }) => row))].filter((row) => other.some((o) => o.row === row));
  return rows.flatMap((row) => {
    const figures = base.find((observation) => observation.row === row)!.figures;
    return figures.flatMap((figure) => difference(row, figure, base, other, limit) ?? []);
  });
}

function difference(
  row: string,
  figure: Figure,
  base: readonly Observation[],
  other: readonly Observation[],
  limit: number,
): Difference | undefined {
  const [before, after] = [valuesOf(base, row, figure.key), valuesOf(other, row, figure.key)];
  if (before.length === 0 || after.length === 0) return undefined;
  const [from, to] = [median(before)!, median(after)!];
  const probability = rankTest(before, after);
  const { key, label, unit, better } = figure;
  return {
    row,
    figure: { key, label, unit, better },
    base: from,
    other: to,
    runs: { base: before.length, other: after.length },
    ratio: from === 0 ? null : to / from,
    probability,
    verdict: verdict(probability, limit, before.length, after.length, (better === "lower") === to < from),
  };
}

function verdict(
  probability: number,
  limit: number,
  base: number,
  other: number,
  isBetter: boolean,
): Verdict {
  if (smallestProbability(base, other) >= limit) return "too few runs";
  if (probability >= limit) return "within the noise";
  return isBetter ? "better" : "worse";
}

function valuesOf(observations: readonly Observation[], row: string, key: string): number[] {
  return observations
    .filter((observation) => observation.row === row)
    .map(({ figures }) => figures.find((figure) => figure.key === key)?.value)
    .filter((value) => value !== null && value !== undefined);
}

/**
 * Metrics for --threshold of `bench compare`: the number of rows with each verdict, and the worst ratio new ÷
 * base of each figure.
 */
export function comparisonMetrics(differences: readonly Difference[]): Record<string, number | null> {
  const count = (verdict: Verdict) => differences.filter((d) => d.verdict === verdict).length;
  // If nothing can be judged, it is unknown whether something became worse, and no such threshold may pass.
  const isJudged = differences.some(({ verdict }) => verdict !== "too few runs");
  const metrics: Record<string, number | null> = {
    worse: isJudged ? count("worse") : null,
    better: isJudged ? count("better") : null,
    tooFewRuns: count("too few runs"),
  };
  for (const { figure, ratio } of differences) {
    if (ratio === null) continue;
    const worst = metrics[figure.key] ?? ratio;
    metrics[figure.key] = figure.better === "lower" ? Math.max(worst, ratio) : Math.min(worst, ratio);
  }
  return metrics;
}
