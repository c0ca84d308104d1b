import { PERCENTILES } from "../kernels/broadcast/percentiles.ts";
import { lineChart, type Line } from "./charts/charts.ts";
import type { Colour } from "./charts/theme.ts";
import { applying, count, shortOrDash, whole } from "./format.ts";
import { GROUPS, hasLabels, metricText, overPasses } from "./metric.ts";
import type { Group, Labels, Metric, Unit } from "./metric.ts";
import type { Distribution, ErrorRow, Result, Series } from "./result.ts";

/** A report on one result, before it is rendered. */
interface Document {
  title: string;
  subtitle: string;
  blocks: Block[];
}

export type Block =
  | { kind: "tiles"; tiles: Tile[] }
  | { kind: "chart"; heading: string; note?: string; svg: string }
  | { kind: "table"; heading: string; rows: readonly (readonly string[])[] }
  | { kind: "notes"; heading: string; lines: readonly string[] };

export interface Tile {
  label: string;
  value: string;
  note?: string;
  tone?: "good" | "bad";
}

/** Tables get a row for each of more things than this, and a column for each of fewer. */
const MOST_COLUMNS = 6;
const COLOURS: readonly Colour[] = ["one", "two", "three", "four", "quiet", "bad"];
const colourOf = (line: number): Colour => COLOURS[line % COLOURS.length]!;
/** Left out beside other servers; the result file has them. */
const NOT_COMPARED: readonly Group[] = ["ratios", "counts", "server", "tester"];

/** Rows of a name and a value have no heading. */
export function withHead(rows: readonly (readonly string[])[]): {
  head: readonly string[];
  rows: readonly (readonly string[])[];
} {
  const [first = [], ...others] = rows;
  return rows.every((row) => row.length === 2)
    ? { head: first.map(() => ""), rows }
    : { head: first, rows: others };
}

/** Any result as a page: its headline, charts and tables. */
export function documentOf(result: Result): Document {
  const { meta, distributions, series, tables, caveats, errors } = result;
  const metrics = overPasses(result.metrics);
  const compared = metrics.filter(({ group }) => group !== "ratios").map(({ labels }) => labels);
  const columns = columnsOf(compared);
  return {
    title: meta.title,
    subtitle: applying(
      meta.interrupted && "Interrupted: partial result",
      ...meta.subtitle,
      passesText(result.metrics),
    ).join(" · "),
    blocks: [
      ...(columns.length > 1
        ? comparison(metrics, columns)
        : [{ kind: "tiles" as const, tiles: tiles(metrics.filter(isTotal(metrics))) }]),
      ...distributionBlocks(distributions),
      ...series.flatMap(seriesBlock),
      ...metricTables(metrics, columns, commonKeys(compared)),
      ...tables.map(({ label, rows }) => table(label, rows)),
      ...(caveats.length === 0
        ? []
        : [{ kind: "notes" as const, heading: "Caveats", lines: [...new Set(caveats)] }]),
      ...(errors.length === 0 ? [] : [table("Errors", errors.map(errorRow))]),
    ],
  };
}

export const errorRow = ({ phase, code, count: times }: ErrorRow): [error: string, times: string] => [
  `${phase}: ${code}`,
  whole(times),
];

export function table(heading: string, rows: readonly (readonly string[])[]): Block {
  return { kind: "table", heading, rows };
}

function passesText(metrics: readonly Metric[]): string | false {
  const passes = new Set(metrics.flatMap(({ labels }) => labels["pass"] ?? [])).size;
  return passes > 1 && `${count(passes, "pass", "passes")} each; medians, and the worst of worst messages`;
}

/** Whether a metric describes the whole, not a phase, a process or another part. */
function isTotal(metrics: readonly Metric[]): (metric: Metric) => boolean {
  const fewest = Math.min(...metrics.map(({ labels }) => Object.keys(labels).length));
  return ({ labels }) => Object.keys(labels).length === fewest;
}

/** Some faults are of interest even if there are none. */
function tiles(metrics: readonly Metric[]): Tile[] {
  const faults = metrics.filter(({ counts }) => counts === "fault");
  const headline = metrics.filter(({ group }) => group === "headline");
  const values = headline.map((metric): Tile => {
    return { label: metric.label, value: metricText(metric), ...rangeNote(metric) };
  });
  if (faults.length === 0) return values;
  const label = faults.map((metric) => metric.label).join(" · ");
  const tone = faults.some(({ value }) => value !== null && value > 0) ? "bad" : "good";
  return [...values, { label, value: faults.map(metricText).join(" · "), tone }];
}

function rangeNote({ samples, unit }: Metric): { note?: string } {
  const known = samples?.filter((value) => value !== null) ?? [];
  if (known.length < 2) return {};
  const text = (value: number) => metricText({ unit, value });
  return { note: `${text(Math.min(...known))} to ${text(Math.max(...known))}` };
}

/** The labels that all have and that differ: what was compared. */
function columnsOf(all: readonly Labels[]): Labels[] {
  const keys = commonKeys(all).filter((key) => new Set(all.map((labels) => labels[key])).size > 1);
  const columns = all.map((labels) => pick(labels, keys));
  return [...new Map(columns.map((column) => [JSON.stringify(column), column])).values()];
}

/** Unless they differ, these labels describe the whole run. */
function commonKeys([first = {}, ...others]: readonly Labels[]): string[] {
  return Object.keys(first).filter((key) => others.every((labels) => key in labels));
}

const pick = (labels: Labels, keys: readonly string[]): Labels =>
  Object.fromEntries(keys.flatMap((key) => (key in labels ? [[key, labels[key]!]] : [])));

const nameOf = (column: Labels): string =>
  Object.values(column)
    .map((value) => (typeof value === "number" ? whole(value) : value))
    .join(", ");

/** Charts by a number, such as that of members. */
function comparison(metrics: readonly Metric[], columns: readonly Labels[]): Block[] {
  const keys = Object.keys(columns[0]!);
  const size = keys.find((key) => columns.every((column) => typeof column[key] === "number"));
  const headline = metrics.filter(({ group }) => group === "headline");
  if (size === undefined) return [];
  if (keys.length === 1)
    return [...Map.groupBy(headline, ({ unit }) => unit).values()].flatMap((same) =>
      sizeChart(`Results by ${size}`, same, size, ({ label }) => label.split(",")[0]!),
    );
  const others = keys.filter((key) => key !== size);
  return [...Map.groupBy(headline, ({ label }) => label)].flatMap(([label, same]) =>
    sizeChart(label, same, size, ({ labels }) => nameOf(pick(labels, others))),
  );
}

const AXES: Partial<Record<Unit, string>> = { ms: "ms", duration: "ms", perSecond: "per second", ratio: "×" };

/** A line for each name; empty with fewer than two sizes. */
function sizeChart(
  heading: string,
  metrics: readonly Metric[],
  size: string,
  nameOfLine: (metric: Metric) => string,
): Block[] {
  const lines = [...Map.groupBy(metrics, nameOfLine)].flatMap(([name, same], i): Line[] => {
    const points = same.flatMap(({ labels, value }) =>
      value === null || value <= 0 ? [] : [{ x: labels[size] as number, y: value }],
    );
    return points.length < 2 ? [] : [{ name, colour: colourOf(i), points }];
  });
  if (lines.length === 0) return [];
  const svg = lineChart({
    description: heading,
    x: size,
    y: AXES[metrics[0]!.unit] ?? "",
    isLog: true,
    lines,
  });
  return [{ kind: "chart", heading, svg }];
}

/**
 * A table for each group, or a single one if several things were compared.
 * @param ofAll labels that all metrics have
 */
function metricTables(
  metrics: readonly Metric[],
  columns: readonly Labels[],
  ofAll: readonly string[],
): Block[] {
  const inGroup = (group: Group) => metrics.filter((metric) => metric.group === group);
  const tables = (heading: string, some: readonly Metric[]): Block[] =>
    parts(some).map(({ of, part }) => table(heading + of, pivot(part, ofAll)));
  const groups = Object.keys(GROUPS) as Group[];
  if (columns.length > 1) {
    const figures = groups.filter((group) => !NOT_COMPARED.includes(group)).flatMap(inGroup);
    return [...tables(GROUPS.ratios, inGroup("ratios")), ...tables("Figures", figures)];
  }
  const isInTiles = isTotal(metrics);
  return groups.flatMap((group) => {
    const hasTiles = group === "headline" || group === "faults";
    return tables(
      GROUPS[group],
      inGroup(group).filter((metric) => !(hasTiles && isInTiles(metric))),
    );
  });
}

/** Many metrics of many things get a table for each value of their first label. */
function parts(metrics: readonly Metric[]): { of: string; part: readonly Metric[] }[] {
  if (metrics.length === 0) return [];
  const columns = columnsOf(metrics.map(({ labels }) => labels));
  const [key = "", ...others] = Object.keys(columns[0] ?? {});
  const rows = new Set(metrics.map(({ label }) => label)).size;
  if (others.length === 0 || columns.length <= MOST_COLUMNS || rows <= MOST_COLUMNS)
    return [{ of: "", part: metrics }];
  return [...Map.groupBy(metrics, ({ labels }) => labels[key]!)].map(([value, part]) => ({
    of: `: ${nameOf({ [key]: value })} ${key}`,
    part,
  }));
}

/** A row for each metric and a column for each thing compared, or the other way round if those are many. */
function pivot(metrics: readonly Metric[], ofAll: readonly string[]): string[][] {
  const columns = columnsOf(metrics.map(({ labels }) => labels));
  const inColumns = Object.keys(columns[0] ?? {});
  const keys = new Set(metrics.flatMap(({ labels }) => Object.keys(labels)));
  const inRows = [...keys].filter((key) => !inColumns.includes(key) && !ofAll.includes(key));
  const rowOf = ({ label, labels }: Metric) =>
    [...Object.entries(pick(labels, inRows)).map(([key, value]) => `${key} ${value}`), label].join(": ");
  const rows = Map.groupBy(metrics, rowOf);
  const cell = (row: string, column: Labels) => {
    const metric = rows.get(row)!.find((one) => hasLabels(one, column));
    return metric ? metricText(metric) : "–";
  };
  const names = [...rows.keys()];
  if (columns.length <= 1) return names.map((name) => [name, cell(name, columns[0] ?? {})]);
  const heading = inColumns.join(", ");
  return columns.length <= MOST_COLUMNS
    ? [
        [heading, ...columns.map(nameOf)],
        ...names.map((name) => [name, ...columns.map((one) => cell(name, one))]),
      ]
    : [
        [heading, ...names],
        ...columns.map((column) => [nameOf(column), ...names.map((name) => cell(name, column))]),
      ];
}

function distributionBlocks(distributions: readonly Distribution[]): Block[] {
  const known = distributions.filter(({ percentiles }) => percentiles !== null);
  if (known.length === 0) return [];
  const rows = known.map(({ label, percentiles }) => [
    label,
    ...PERCENTILES.map((p) => shortOrDash(percentiles![`p${p}`])),
  ]);
  return [table("Percentiles", [["ms", ...PERCENTILES.map((p) => `p${p}`)], ...rows])];
}

function seriesBlock({ label, x, y, kind, points }: Series): Block[] {
  if (points.filter((point) => point.y !== null).length < 2) return [];
  const isScattered = kind === "points";
  const lines = [...Map.groupBy(points, (point) => point.kind ?? label)].map(([name, same], i): Line => {
    return { name, colour: colourOf(i), isScattered, points: same };
  });
  const missing = isScattered ? points.filter((point) => point.y === null).length : 0;
  const note = missing > 0 ? { note: `${count(missing, "value")} never reached` } : {};
  return [{ kind: "chart", heading: label, ...note, svg: lineChart({ description: label, x, y, lines }) }];
}
