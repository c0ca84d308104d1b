import { PERCENTILES } from "../kernels/broadcast/percentiles.ts";
import { barChart, columnChart, lineChart, type Line } from "./charts/charts.ts";
import type { Colour } from "./charts/frame.ts";
import { applying, count, short, shortOrDash, whole } from "./format.ts";
import { GROUPS, metricText, overPasses, type Group, type Labels, type Metric, type Unit } from "./metric.ts";
import type { Distribution, Result, Series } from "./result.ts";

/** A report on one result, before it is rendered. */
export interface Document {
  title: string;
  subtitle: string;
  blocks: Block[];
}

export type Block =
  | { kind: "tiles"; tiles: Tile[] }
  /** `lines`: the same for a terminal. */
  | { kind: "chart"; heading: string; note?: string; svg: string; lines?: readonly string[] }
  | { kind: "table"; heading: string; note?: string; rows: readonly (readonly string[])[] }
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
const BAR_CHARS = 50;
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
  const columns = columnsOf(metrics);
  const { title, subtitle, interrupted } = meta;
  return {
    title,
    subtitle: applying(
      interrupted && "Interrupted: partial result",
      ...subtitle,
      passesText(result.metrics),
    ).join(" · "),
    blocks: [
      ...(columns.length <= 1
        ? [{ kind: "tiles" as const, tiles: tiles(metrics.filter(isTotal(metrics))) }]
        : comparison(metrics, columns)),
      ...distributionBlocks(distributions),
      ...series.flatMap(seriesBlock),
      ...metricTables(metrics, columns),
      ...tables.map(({ label, rows }) => ({ kind: "table" as const, heading: label, rows })),
      ...notes("Caveats", caveats),
      ...(errors.length === 0
        ? []
        : [
            {
              kind: "table" as const,
              heading: "Errors",
              rows: errors.map(({ phase, code, count: times }) => [`${phase}: ${code}`, whole(times)]),
            },
          ]),
    ],
  };
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
  const worst = faults.some(({ value }) => value !== null && value > 0);
  return [
    ...metrics
      .filter(({ group }) => group === "headline")
      .map((metric) => ({ label: metric.label, value: metricText(metric), ...rangeNote(metric) })),
    ...(faults.length === 0
      ? []
      : [
          {
            label: faults.map(({ label }) => label).join(" · "),
            value: faults.map(metricText).join(" · "),
            tone: worst ? ("bad" as const) : ("good" as const),
          },
        ]),
  ];
}

function rangeNote({ samples, unit }: Metric): { note?: string } {
  const known = samples?.filter((value) => value !== null) ?? [];
  if (known.length < 2) return {};
  const text = (value: number) => metricText({ unit, value });
  return { note: `${text(Math.min(...known))} to ${text(Math.max(...known))}` };
}

/** The labels that all metrics have and that differ: what was compared. */
function columnsOf(metrics: readonly Metric[]): Labels[] {
  const all = metrics.filter(({ group }) => group !== "ratios").map(({ labels }) => labels);
  const keys = varyingKeys(all).filter((key) => all.every((labels) => key in labels));
  const distinct = new Map(all.map((labels) => [JSON.stringify(pick(labels, keys)), pick(labels, keys)]));
  return [...distinct.values()];
}

/** Labels of every metric, which describe the whole run unless they differ. */
function keysOfAll(metrics: readonly Metric[]): string[] {
  const [first, ...others] = metrics.filter(({ group }) => group !== "ratios");
  return Object.keys(first?.labels ?? {}).filter((key) => others.every(({ labels }) => key in labels));
}

function varyingKeys(all: readonly Labels[]): string[] {
  const keys = new Set(all.flatMap((labels) => Object.keys(labels)));
  return [...keys].filter((key) => new Set(all.map((labels) => labels[key])).size > 1);
}

const pick = (labels: Labels, keys: readonly string[]): Labels =>
  Object.fromEntries(keys.flatMap((key) => (key in labels ? [[key, labels[key]!]] : [])));

function isOf({ labels }: Metric, column: Labels): boolean {
  return Object.entries(column).every(([key, value]) => labels[key] === value);
}

const nameOf = (column: Labels): string =>
  Object.values(column)
    .map((value) => (typeof value === "number" ? whole(value) : value))
    .join(", ");

/** One value for each column; a chart by a number is a line, and otherwise bars. */
function comparison(metrics: readonly Metric[], columns: readonly Labels[]): Block[] {
  const keys = Object.keys(columns[0]!);
  const size = keys.find((key) => columns.every((column) => typeof column[key] === "number"));
  const headline = metrics.filter(({ group }) => group === "headline");
  if (size === undefined) return barCharts(headline, columns);
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
    return points.length < 2 ? [] : [{ name, colour: COLOURS[i % COLOURS.length]!, points }];
  });
  if (lines.length === 0) return [];
  const svg = lineChart({
    description: heading,
    x: size,
    y: AXES[metrics[0]!.unit] ?? "",
    isLog: true,
    height: 320,
    lines,
  });
  return [{ kind: "chart", heading, svg }];
}

function barCharts(metrics: readonly Metric[], columns: readonly Labels[]): Block[] {
  return [...Map.groupBy(metrics, ({ label }) => label)].flatMap(([label, same]): Block[] => {
    const bars = columns.flatMap((column) => {
      const metric = same.find((one) => isOf(one, column));
      if (!metric || metric.value === null) return [];
      const colour: Colour =
        column["server"] === undefined || column["server"] === columns[0]!["server"] ? "one" : "quiet";
      return [{ label: nameOf(column), value: metric.value, text: metricText(metric), colour }];
    });
    if (bars.length < 2) return [];
    const heading = `${label}, ${same[0]!.better === "higher" ? "higher" : "lower"} is better`;
    return [{ kind: "chart", heading, svg: barChart(heading, bars) }];
  });
}

/** A table for each group, or a single one if several things were compared. */
function metricTables(metrics: readonly Metric[], columns: readonly Labels[]): Block[] {
  const groups = (Object.keys(GROUPS) as Group[]).map((group) => ({
    group,
    some: metrics.filter((metric) => metric.group === group),
  }));
  const ofAll = keysOfAll(metrics);
  const table = (heading: string, some: readonly Metric[]): Block[] =>
    some.length === 0
      ? []
      : tablesOf(some).map(({ of, part }) => ({
          kind: "table",
          heading: of === "" ? heading : `${heading}: ${of}`,
          rows: pivot(part, ofAll),
        }));
  if (columns.length <= 1) {
    const isInTiles = isTotal(metrics);
    return groups.flatMap(({ group, some }) =>
      table(
        GROUPS[group],
        group === "headline" || group === "faults" ? some.filter((metric) => !isInTiles(metric)) : some,
      ),
    );
  }
  return [
    ...groups.flatMap(({ group, some }) => (group === "ratios" ? table(GROUPS.ratios, some) : [])),
    ...table(
      "Figures",
      groups.flatMap(({ group, some }) => (NOT_COMPARED.includes(group) ? [] : some)),
    ),
  ];
}

/** Many metrics of many things get a table for each value of their first label. */
function tablesOf(metrics: readonly Metric[]): { of: string; part: readonly Metric[] }[] {
  const columns = columnsOf(metrics.map((metric) => ({ ...metric, group: "rates" })));
  const [key, ...others] = Object.keys(columns[0] ?? {});
  const rows = new Set(metrics.map(({ label }) => label)).size;
  if (others.length === 0 || columns.length <= MOST_COLUMNS || rows <= MOST_COLUMNS)
    return [{ of: "", part: metrics }];
  return [...Map.groupBy(metrics, ({ labels }) => labels[key!]!)].map(([value, part]) => ({
    of: `${nameOf({ [key!]: value })} ${key}`,
    part,
  }));
}

/** A row for each metric and a column for each thing compared, or the other way round if those are many. */
function pivot(metrics: readonly Metric[], ofAll: readonly string[]): string[][] {
  const columns = columnsOf(metrics.map((metric) => ({ ...metric, group: "rates" })));
  const inColumns = Object.keys(columns[0] ?? {});
  const keys = new Set(metrics.flatMap(({ labels }) => Object.keys(labels)));
  const inRows = [...keys].filter((key) => !inColumns.includes(key) && !ofAll.includes(key));
  const rowOf = ({ label, labels }: Metric) =>
    [...Object.entries(pick(labels, inRows)).map(([key, value]) => `${key} ${value}`), label].join(": ");
  const rows = Map.groupBy(metrics, rowOf);
  const cell = (row: string, column: Labels) => {
    const metric = rows.get(row)!.find((one) => isOf(one, column));
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
  const { label, buckets } = known.at(-1)!;
  const svg = columnChart({
    description: `Distribution: ${label}`,
    x: "ms",
    y: "count",
    columns: buckets.map(({ fromMs, toMs, count: amount }) => ({
      label: short(fromMs),
      value: amount,
      colour: "one",
      title: `${short(fromMs)} to ${short(toMs)} ms: ${whole(amount)}`,
    })),
  });
  return [
    { kind: "table", heading: "Percentiles", rows: [["ms", ...PERCENTILES.map((p) => `p${p}`)], ...rows] },
    ...(buckets.length === 0
      ? []
      : [{ kind: "chart" as const, heading: `Distribution: ${label}`, svg, lines: histogram(buckets) }]),
  ];
}

function histogram(buckets: Distribution["buckets"]): string[] {
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const rows = buckets.map(({ fromMs, toMs, count: amount }) => ({
    range: `${short(fromMs)} – ${short(toMs)} ms`,
    amount: whole(amount),
    bar: "█".repeat(Math.ceil((amount / most) * BAR_CHARS)),
  }));
  const width = (of: (row: (typeof rows)[number]) => string) =>
    Math.max(...rows.map((row) => of(row).length));
  const [range, amount] = [width((row) => row.range), width((row) => row.amount)];
  return rows.map((row) =>
    `${row.range.padStart(range)}  ${row.amount.padStart(amount)}  ${row.bar}`.trimEnd(),
  );
}

function seriesBlock({ label, x, y, kind, points }: Series): Block[] {
  if (points.filter((point) => point.y !== null).length < 2) return [];
  const kinds = [...new Set(points.map((point) => point.kind ?? label))];
  const colour = (of: string | undefined): Colour => COLOURS[kinds.indexOf(of ?? label) % COLOURS.length]!;
  const missing = points.filter((point) => point.y === null).length;
  const note = missing > 0 && kind === "columns" ? { note: `${count(missing, "value")} never reached` } : {};
  const svg =
    kind === "columns"
      ? columnChart({
          description: label,
          x,
          y,
          columns: points.map((point) => ({
            label: String(point.x),
            value: point.y,
            colour: colour(point.kind),
            title: `${point.x}${point.kind === undefined ? "" : `, ${point.kind}`}: ${shortOrDash(point.y)}`,
          })),
          legend: kinds.map((name) => ({ name, colour: colour(name) })),
        })
      : lineChart({
          description: label,
          x,
          y,
          height: 220,
          lines: kinds.map((name) => ({
            name,
            colour: colour(name),
            isScattered: kind === "points",
            points: points.flatMap((point) =>
              (point.kind ?? label) === name ? [{ x: Number(point.x), y: point.y }] : [],
            ),
          })),
        });
  return [{ kind: "chart", heading: label, ...note, svg }];
}

function notes(heading: string, lines: readonly string[]): Block[] {
  return lines.length === 0 ? [] : [{ kind: "notes", heading, lines: [...new Set(lines)] }];
}
