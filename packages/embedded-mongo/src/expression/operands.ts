import { evalExpr } from "mingo/core";
import type { Collation } from "../values/collation.ts";
import { CommandError } from "../errors.ts";
import { isNullish } from "../values/types.ts";
import { requireNumbers } from "./numeric.ts";

export type Options = Parameters<typeof evalExpr>[2];
export type Operator = (document: never, expression: never, options: Options) => unknown;
export type Evaluate = (document: unknown, expression: unknown, options: Options) => unknown;

export const evaluate = evalExpr;

/** The operands of an operator: `{$op: [a, b]}`, or `{$op: a}`. */
export function operands(document: unknown, expression: unknown, options: Options): unknown[] {
  const values = evaluate(document, expression, options);
  return Array.isArray(expression) ? (values as unknown[]) : [values];
}

/** The collation of the command, set in the options by `compileCondition` and `runAggregate`. */
export const collationOf = (options: Options): Collation | undefined =>
  options.collation as Collation | undefined;

/** An operator on numbers that returns null if an operand is null or missing. */
export const onNumbers =
  (name: string, count: [number, number], compute: (...values: never[]) => unknown): Evaluate =>
  (document, expression, options) => {
    const values = operands(document, expression, options);
    checkCount(name, values, count);
    if (values.some(isNullish)) return null;
    requireNumbers(name, values);
    return compute(...(values as never[]));
  };

export function checkCount(
  name: string,
  { length }: readonly unknown[],
  [least, most]: [number, number],
): void {
  if (length >= least && length <= most) return;
  const wanted = least === most ? `exactly ${least}` : `${least} to ${most}`;
  throw new CommandError(
    "Location16020",
    `Expression ${name} takes ${wanted} arguments. ${length} were passed in.`,
  );
}
