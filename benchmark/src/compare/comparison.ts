import { spread } from "../kernels/broadcast/percentiles.ts";
import { isTime, type Metric } from "../report/metric.ts";
import type { Result } from "../report/result.ts";
import { rankTest, smallestProbability } from "./rank-test.ts";

/** A metric that can be better or worse. */
export type Figure = Metric & { better: "lower" | "higher" };

/** One measurement under a name that allows comparing it with another file. */
export interface Observation {
  row: string;
  figures: Figure[];
}

/** Metrics with the same labels, one observation per pass. Ratios are left out: they are compared by what they divide. */
export function observationsOf({ meta, metrics }: Result): Observation[] {
  const judged = metrics.filter(
    (metric): metric is Figure => metric.better !== null && metric.group !== "ratios",
  );
  const same = Map.groupBy(judged, ({ labels }) => JSON.stringify(labels));
  return [...same.values()].map((figures) => {
    const { pass: _, ...labels } = figures[0]!.labels;
    const subject = Object.entries(labels).map(([key, value]) => `${key} ${value}`);
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
  /** Rows of the base that the new side doesn't have. */
  missing: string[];
}

/** Addresses and files, which differ without a meaning. */
const NO_SETUP = new Set(["url", "metricsUrl", "tokens", "out"]);

/** What else than the server differs between the sides: options of the same command, the machine, or the version of Node. */
export function setupDifferences(base: readonly Result[], other: readonly Result[]): string[] {
  const setups = (results: readonly Result[]) => {
    const values = new Map<string, Set<string>>();
    const add = (key: string, value: unknown) =>
      values.set(key, (values.get(key) ?? new Set()).add(JSON.stringify(value) ?? "none"));
    for (const { meta } of results) {
      for (const key of ["cpu", "cores", "memoryBytes", "node"] as const) add(key, meta.environment[key]);
      for (const [name, value] of Object.entries(meta.options))
        if (!NO_SETUP.has(name)) add(`${meta.command}: ${name}`, value);
    }
    return new Map([...values].map(([key, all]) => [key, [...all].sort().join(", ")]));
  };
  const [before, after] = [setups(base), setups(other)];
  return [...before].flatMap(([key, value]) => {
    const now = after.get(key);
    return now === undefined || now === value ? [] : [`${key} was ${value}, now ${now}`];
  });
}

/** @param limit the significance level, for example 0.05 */
export function compare(
  base: readonly Observation[],
  other: readonly Observation[],
  limit: number,
): Comparison {
  const rows = Map.groupBy(base, ({ row }) => row);
  const measured = new Set(other.map(({ row }) => row));
  const differences = [...rows].flatMap(([row, same]) => {
    const figures = new Map(same.flatMap((one) => one.figures).map((figure) => [figure.name, figure]));
    return [...figures.values()].flatMap((figure) => difference(row, figure, base, other, limit) ?? []);
  });
  return { differences, missing: [...rows.keys()].filter((row) => !measured.has(row)) };
}

function difference(
  row: string,
  figure: Figure,
  base: readonly Observation[],
  other: readonly Observation[],
  limit: number,
): Difference | undefined {
  const [before, after] = [valuesOf(base, row, figure.name), valuesOf(other, row, figure.name)];
  if (before.length === 0 || after.length === 0) return undefined;
  const { name, label, unit, better, counts } = figure;
  const summary = counts === undefined ? (values: readonly number[]) => spread(values)!.median : sum;
  const [from, to] = [summary(before), summary(after)];
  const probability = rankTest(before, after);
  const byRank = verdict(probability, limit, before.length, after.length, (better === "lower") === to < from);
  return {
    row,
    figure: { name, label, unit, better, ...(counts === undefined ? {} : { counts }) },
    base: from,
    other: to,
    runs: { base: before.length, other: after.length },
    ratio: from === 0 || !Number.isFinite(to / from) ? null : to / from,
    probability,
    verdict: counts === undefined ? byRank : verdictOfCount(counts, from, to, byRank),
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

/** @param byRank of counts that both sides have */
function verdictOfCount(counts: "fault" | "event", base: number, other: number, byRank: Verdict): Verdict {
  if (other > 0 && (counts === "fault" || base === 0)) return "worse";
  return base === 0 ? "within the noise" : byRank;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

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
