import { usageError } from "../cli/exit.ts";
import { FAULT_NAMES, overPasses, type Metric } from "./metric.ts";

/** The faults of a run, with their totals over everything it measured. */
export function faultsIn(metrics: readonly Metric[]): (Metric & { value: number })[] {
  const all = overPasses(metrics).filter(
    ({ counts, value }) => counts === "fault" && value !== null && value > 0,
  );
  return [...Map.groupBy(all, ({ name }) => name).values()].map((same) => ({
    ...same[0]!,
    value: same.reduce((sum, { value }) => sum + value!, 0),
  }));
}

/**
 * Parses the values of --allow.
 * @throws {ExitError} for an unknown fault
 */
export function allowedFaults(values: readonly string[]): string[] {
  const names = values.flatMap((value) => value.split(","));
  const unknown = names.find((name) => name !== "all" && !FAULT_NAMES.some((known) => known === name));
  if (unknown === undefined) return names.includes("all") ? FAULT_NAMES : names;
  throw usageError(
    `--allow ${unknown}: there is no such fault. Write one of ${FAULT_NAMES.join(", ")}, or all.`,
  );
}

const OPERATORS = {
  "<": (value: number, limit: number) => value < limit,
  "<=": (value: number, limit: number) => value <= limit,
  ">": (value: number, limit: number) => value > limit,
  ">=": (value: number, limit: number) => value >= limit,
  "==": (value: number, limit: number) => value === limit,
};

interface Threshold {
  expression: string;
  metric: string;
  labels: Readonly<Record<string, string>>;
  operator: keyof typeof OPERATORS;
  limit: number;
}

export interface ThresholdResult {
  expression: string;
  /** Of several values the one that fails; null: not measured, which fails. */
  value: number | null;
  passed: boolean;
}

/**
 * Parses `metric<number` and `metric[label=value]<number`.
 * @throws {ExitError} if one is neither, or its metric is unknown
 */
export function parseThresholds(expressions: readonly string[], names: readonly string[]): Threshold[] {
  return expressions.map((expression) => {
    const match = /^(\w+)(?:\[([^\]=]+=[^\]]*)\])?\s*(<=|>=|==|<|>)\s*(\d+(?:\.\d+)?)$/.exec(
      expression.trim(),
    );
    if (!match) {
      throw usageError(
        `--threshold '${expression}' is invalid. Examples: --threshold 'worstMs<200', --threshold 'worstMs[members=1000]<50'`,
      );
    }
    const [, metric = "", labels, operator, limit] = match;
    if (!names.includes(metric)) {
      throw usageError(
        `--threshold '${expression}': unknown metric ${metric}. Metrics: ${names.join(", ")}.`,
      );
    }
    const pairs = labels?.split(",").map((pair) => pair.split("=").map((part) => part.trim())) ?? [];
    return {
      expression,
      metric,
      labels: Object.fromEntries(pairs) as Record<string, string>,
      operator: operator as Threshold["operator"],
      limit: Number(limit),
    };
  });
}

/** A threshold holds for every metric of its name and labels; one that was not measured fails. */
export function checkThresholds(
  thresholds: readonly Threshold[],
  metrics: readonly Pick<Metric, "name" | "labels" | "value">[],
): ThresholdResult[] {
  return thresholds.map(({ expression, metric, labels, operator, limit }) => {
    const values = metrics
      .filter(({ name }) => name === metric)
      .filter((one) => Object.entries(labels).every(([key, value]) => String(one.labels[key]) === value))
      .map(({ value }) => value);
    const isMet = (value: number | null) => value !== null && OPERATORS[operator](value, limit);
    const failed = values.find((value) => !isMet(value));
    const passed = values.length > 0 && failed === undefined;
    return { expression, value: (passed ? values.at(-1) : failed) ?? null, passed };
  });
}
