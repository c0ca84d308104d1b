import { usageError } from "../exit.ts";

export interface Threshold {
  expression: string;
  metric: string;
  operator: keyof typeof OPERATORS;
  limit: number;
}

export interface ThresholdResult {
  expression: string;
  /** null: not measured, which fails. */
  value: number | null;
  passed: boolean;
}

const OPERATORS = {
  "<": (value: number, limit: number) => value < limit,
  "<=": (value: number, limit: number) => value <= limit,
  ">": (value: number, limit: number) => value > limit,
  ">=": (value: number, limit: number) => value >= limit,
  "==": (value: number, limit: number) => value === limit,
};

/** @throws {ExitError} if a threshold is not `metric<number`, or its metric is unknown */
export function parseThresholds(expressions: readonly string[], metrics: readonly string[]): Threshold[] {
  return expressions.map((expression) => {
    const match = /^([\w.]+)\s*(<=|>=|==|<|>)\s*(\d+(?:\.\d+)?)$/.exec(expression.trim());
    if (!match) {
      throw usageError(`--threshold '${expression}' is invalid. Example: --threshold 'worst<1200'`);
    }
    const [, metric = "", operator, limit] = match;
    if (!metrics.includes(metric)) {
      throw usageError(
        `--threshold '${expression}': unknown metric ${metric}. Metrics: ${metrics.join(", ")}.`,
      );
    }
    return { expression, metric, operator: operator as Threshold["operator"], limit: Number(limit) };
  });
}

export function checkThresholds(
  thresholds: readonly Threshold[],
  values: Readonly<Record<string, number | null | undefined>>,
): ThresholdResult[] {
  return thresholds.map(({ expression, metric, operator, limit }) => {
    const value = values[metric] ?? null;
    return { expression, value, passed: value !== null && OPERATORS[operator](value, limit) };
  });
}
