import { spread, sum } from "../kernels/broadcast/percentiles.ts";
import { isTime, overPasses, type Metric } from "../report/metric.ts";
import type { Result } from "../report/result.ts";
import { rankTest, smallestProbability } from "./rank-test.ts";

/** A metric that can be better or worse. */
export type Figure = Metric & { better: "lower" | "higher" };

/** One measurement under a name that allows comparing it with another file. */
export interface Observation {
  row: string;
  figures: Figure[];
}

/**
 * Metrics with the same labels. Passes share their servers and a minute of the machine: together they are one observation.
 * Ratios are left out: they are compared by what they divide.
 */
export function observationsOf({ meta, metrics }: Result): Observation[] {
  const judged = overPasses(metrics).filter(
    (metric): metric is Figure => metric.better !== null && metric.group !== "ratios",
  );
  const same = Map.groupBy(judged, ({ labels }) => JSON.stringify(labels));
  return [...same.values()].map((figures) => {
    const subject = Object.entries(figures[0]!.labels).map(([key, value]) => `${key} ${value}`);
    return { row: [meta.command, ...subject].join(", "), figures };
  });
}

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
  figure: Pick<Figure, "name" | "label" | "unit" | "better" | "counts">;
  /** Medians; of counted faults and events the sum of all runs. Infinity: most runs never got there. */
  base: number;
  other: number;
  runs: { base: number; other: number };
  /** New ÷ base; null: the base is 0. */
  ratio: number | null;
  /** Probability of a difference this large between equal servers. */
  probability: number;
  verdict: Verdict;
}

export interface Comparison {
  differences: Difference[];
  /** What the base has and the new side doesn't: rows, and single figures as "row: label". */
  missing: string[];
}

/** Addresses and files, which differ without a meaning. */
const NO_SETUP = new Set(["url", "metricsUrl", "tokens", "out"]);
const MACHINE = ["cpu", "cores", "memoryBytes", "node"] as const;

/** What else than the server differs between the sides: options of the same command, the machine, or the version of Node. */
export function setupDifferences(base: readonly Result[], other: readonly Result[]): string[] {
  const sides = [base, other].map((side) => side.map(({ meta }) => meta));
  type Meta = Result["meta"];
  const difference = (name: string, ofSides: readonly Meta[][], of: (meta: Meta) => unknown) => {
    const [was, now] = ofSides.map((side) =>
      [...new Set(side.map((meta) => JSON.stringify(of(meta)) ?? "none"))].sort().join(", "),
    );
    return was === now ? [] : [`${name} was ${was}, now ${now}`];
  };
  const machine = MACHINE.flatMap((key) => difference(key, sides, ({ environment }) => environment[key]));
  const options = [...new Set(sides[0]!.map(({ command }) => command))].flatMap((command) => {
    const same = sides.map((side) => side.filter((meta) => meta.command === command));
    if (same[1]!.length === 0) return [];
    const names = new Set(same.flat().flatMap((meta) => Object.keys(meta.options)));
    return [...names.difference(NO_SETUP)].flatMap((name) =>
      difference(`${command}: ${name}`, same, (meta) => meta.options[name]),
    );
  });
  return [...machine, ...options];
}

/** @param limit the significance level, for example 0.05 */
export function compare(
  base: readonly Observation[],
  other: readonly Observation[],
  limit: number,
): Comparison {
  const compared: Comparison = { differences: [], missing: [] };
  const measured = new Set(other.map(({ row }) => row));
  for (const [row, same] of Map.groupBy([...base, ...other], ({ row }) => row)) {
    if (!measured.has(row)) {
      compared.missing.push(row);
      continue;
    }
    const figures = new Map(same.flatMap((one) => one.figures).map((figure) => [figure.name, figure]));
    for (const figure of figures.values()) {
      const [before, after] = [valuesOf(base, row, figure.name), valuesOf(other, row, figure.name)];
      // Other figures need a base; a fault is one without it, too.
      if (before.length === 0 && !(figure.counts === "fault" && sum(after) > 0)) continue;
      if (after.length === 0) compared.missing.push(`${row}: ${figure.label}`);
      else compared.differences.push(difference(row, figure, before, after, limit));
    }
  }
  return compared;
}

function difference(
  row: string,
  { name, label, unit, better, counts }: Figure,
  before: readonly number[],
  after: readonly number[],
  limit: number,
): Difference {
  const summary = counts === undefined ? (values: readonly number[]) => spread(values)!.median : sum;
  const [from, to] = [summary(before), summary(after)];
  const probability = rankTest(before, after);
  const verdict = (): Verdict => {
    if (counts !== undefined && to > 0 && (counts === "fault" || from === 0)) return "worse";
    if (counts !== undefined && from === 0) return "within the noise";
    if (smallestProbability(before.length, after.length) >= limit) return "too few runs";
    if (probability >= limit) return "within the noise";
    return (better === "lower") === to < from ? "better" : "worse";
  };
  return {
    row,
    figure: { name, label, unit, better, ...(counts !== undefined && { counts }) },
    base: from,
    other: to,
    runs: { base: before.length, other: after.length },
    ratio: from === 0 || !Number.isFinite(to / from) ? null : to / from,
    probability,
    verdict: verdict(),
  };
}

function valuesOf(observations: readonly Observation[], row: string, name: string): number[] {
  return observations
    .filter((observation) => observation.row === row)
    .flatMap(({ figures }) => figures.filter((figure) => figure.name === name))
    .map((figure) => (isTime(figure) ? (figure.value ?? Infinity) : figure.value))
    .filter((value) => value !== null);
}

/**
 * Metrics for --threshold of `bench compare`: the number of rows with each verdict, the worst ratio new ÷ base of each
 * figure, and the total of each count on the new side. null, which fails a threshold: it can't be judged.
 */
export function comparisonMetrics({ differences, missing }: Comparison): Record<string, number | null> {
  const count = (verdict: Verdict) => differences.filter((d) => d.verdict === verdict).length;
  const [worse, unjudged] = [count("worse"), count("too few runs")];
  const metrics: Record<string, number | null> = {
    worse: worse === 0 && unjudged + missing.length > 0 ? null : worse,
    better: differences.every(isUnjudged) ? null : count("better"),
    tooFewRuns: unjudged,
  };
  for (const [name, same] of Map.groupBy(differences, ({ figure }) => figure.name)) {
    metrics[name] =
      same[0]!.figure.counts === undefined ? worstRatio(same) : sum(same.map(({ other }) => other));
  }
  return metrics;
}

/** Counts are judged from one run, but only for the worse. */
const isUnjudged = ({ figure, verdict }: Difference): boolean =>
  verdict === "too few runs" || figure.counts !== undefined;

function worstRatio(differences: readonly Difference[]): number | null {
  if (differences.some(({ ratio, verdict }) => ratio === null || verdict === "too few runs")) return null;
  const ratios = differences.map(({ ratio }) => ratio!);
  return differences[0]!.figure.better === "lower" ? Math.max(...ratios) : Math.min(...ratios);
}
