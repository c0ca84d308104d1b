import { usageError } from "../cli/exit.ts";
import type { Metric } from "./metric.ts";

const OPERATORS = {
  "<": (value: number, limit: number) => value < limit,
  "<=": (value: number, limit: number) => value <= limit,
  ">": (value: number, limit: number) => value > limit,
  ">=": (value: number, limit: number) => value >= limit,
  "==": (value: number, limit: number) => value === limit,
};

export interface Threshold {
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
