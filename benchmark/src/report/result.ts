import type { OpenPercentiles } from "../kernels/broadcast/percentiles.ts";
import type { ServerSample } from "../kernels/broadcast/server-samples.ts";
import type { Environment } from "./environment.ts";
import type { Metric } from "./metric.ts";
import type { ThresholdResult } from "./thresholds.ts";

/** Changes when a field changes its meaning or is removed, but not for new fields. See schema/result.v3.json. */
export const RESULT_VERSION = 3;

/** How values are spread, where a single number is not enough. */
export interface Distribution {
  label: string;
  unit: "ms";
  /** Values that never arrived are the slowest: null if the percentile is one of them. null: there are none. */
  percentiles: OpenPercentiles | null;
  /** How many values there are. */
  count: number;
}

/** Values in an order, for a chart. */
export interface Series {
  label: string;
  x: string;
  y: string;
  kind: "line" | "points";
  points: readonly SeriesPoint[];
}

interface SeriesPoint {
  x: number;
  /** null: unknown, or never reached. */
  y: number | null;
  /** Points of a kind share a color. */
  kind?: string;
}

/** Text in rows and columns, where neither metrics nor a series fit. */
export interface TextTable {
  label: string;
  rows: readonly (readonly string[])[];
}

export interface ErrorRow {
  phase: string;
  code: string;
  count: number;
}

/** What a scenario measured. */
export interface Outcome {
  title: string;
  /** The server, the load, and other conditions. */
  subtitle: string[];
  metrics: readonly Metric[];
  distributions?: readonly Distribution[];
  series?: readonly Series[];
  tables?: readonly TextTable[];
  /** What distorts the figures through no fault of the server. */
  caveats?: readonly string[];
  errors?: readonly ErrorRow[];
}

/** The result of any command that measures. */
export interface Result extends Required<Omit<Outcome, "title" | "subtitle">> {
  version: typeof RESULT_VERSION;
  meta: {
    command: string;
    title: string;
    subtitle: readonly string[];
    startedAt: string;
    durationMs: number;
    /** true: ended by Ctrl-C, with what had been measured until then. */
    interrupted: boolean;
    options: Record<string, unknown>;
    environment: Environment;
  };
  thresholds: readonly ThresholdResult[];
}

/** With fewer values than this, p99.9 is the maximum. */
const ENOUGH_VALUES = 1000;

/** Percentiles of few values say less than their name. */
export function fewValuesCaveat(distributions: readonly Distribution[]): string[] {
  const few = distributions.flatMap(({ label, count }) =>
    count === 0 || count >= ENOUGH_VALUES ? [] : [`${label} (${count})`],
  );
  if (few.length === 0) return [];
  return [
    `Few values: ${few.join(", ")}. p99 of fewer than 100, and p99.9 of fewer than 1,000, is the slowest.`,
  ];
}

/** Lines of samples over time. */
export const lineOver =
  <Sample extends { atMs: number }>(seconds: string, samples: readonly Sample[]) =>
  (label: string, y: string, of: (sample: Sample) => number | null): Series => ({
    label,
    x: seconds,
    y,
    kind: "line",
    points: samples.map((sample) => ({ x: sample.atMs / 1000, y: of(sample) })),
  });

export function mebibytes(bytes: number | null): number | null {
  return bytes === null ? null : bytes / 1024 / 1024;
}

/** What a server used. */
export function serverLines(seconds: string, samples: readonly ServerSample[]): Series[] {
  const line = lineOver(seconds, samples);
  return [
    line("Server CPU", "cores", ({ cpuCores }) => cpuCores),
    line("Server memory (RSS)", "MiB", ({ rssBytes }) => mebibytes(rssBytes)),
    line("Longest event-loop delay of the server", "ms", ({ eventLoopMaxMs }) => eventLoopMaxMs),
  ];
}
