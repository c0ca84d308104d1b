import * as mingo from "mingo/operators/accumulator";
import { CommandError } from "../errors.ts";
import { orderBy, parseSort } from "../query/sort.ts";
import type { Collation } from "../values/collation.ts";
import { compareExactly } from "../values/order.ts";
import {
  integerOption,
  isNumeric,
  kindOf,
  toDouble,
  type Kind,
  specialDecimal,
  toBigInt,
  toDecimal,
} from "../values/numbers.ts";
import type { PlainObject } from "../values/types.ts";
import { Distinct } from "./distinct.ts";
import { double, multiply, whole, widest } from "./numeric.ts";
import { collationOf, evaluate, type Operator, type Options } from "./operands.ts";
import { addDecimals, type Decimal, divideDecimals, exactDecimal, toDecimal128 } from "../values/decimal.ts";

const push = mingo.$push;
/** The values of all documents of a group, or of an array if the operator is used as an expression. */
function inputs(target: unknown, expression: unknown, options: Options): unknown[] {
  if (Array.isArray(target)) return push(target, expression, options);
  const single: unknown = Array.isArray(expression) && expression.length === 1 ? expression[0] : expression;
  const value = evaluate(target, single, options);
  return Array.isArray(value) ? value : [value];
}

const over =
  (compute: (values: unknown[], options: Options) => unknown) =>
  (target: unknown, expression: unknown, options: Options): unknown =>
    compute(inputs(target, expression, options), options);

function total(values: readonly unknown[]): Total {
  const sum = new Total();
  for (const value of values) if (isNumeric(value)) sum.add(value);
  return sum;
}

function $sum(target: unknown, expression: unknown, options: Options): unknown {
  const isCount = Array.isArray(target) && typeof expression === "number" && kindOf(expression) === "int";
  return isCount ? multiply(target.length, expression) : total(inputs(target, expression, options)).sum;
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined;

/** The minimum (-1) or maximum (1) of the values that are neither null nor missing; null if there are none. */
export function extreme(sign: 1 | -1, values: readonly unknown[], collation: Collation | undefined): unknown {
  let best: unknown = null;
  for (const value of values)
    if (isPresent(value) && (best === null || sign * compareExactly(value, best, collation) > 0))
      best = value;
  return best;
}

interface Wanted {
  readonly n: number;
  readonly expression: PlainObject;
}

/** `n` can be an expression on the id of the group. */
function wantedOf(expression: PlainObject, options: Options): Wanted {
  const { groupId } = (options as { local?: { groupId?: unknown } }).local ?? {};
  const n = integerOption(evaluate(groupId, expression["n"] ?? 1, options), "n", 1);
  if (n < 1) throw new CommandError("Location5787908", "'n' must be greater than 0");
  return { n, expression };
}

const extremes =
  (sign: 1 | -1) =>
  (target: unknown, expression: PlainObject, options: Options): unknown => {
    const { n } = wantedOf(expression, options);
    const values = inputs(target, expression["input"], options).filter(isPresent);
    const collation = collationOf(options);
    return values.sort((a, b) => -sign * compareExactly(a, b, collation)).slice(0, n);
  };

/** `$topN` and `$bottomN`: the outputs of the first or last documents in an order. */
const ranked =
  (end: "top" | "bottom") =>
  (documents: unknown[], raw: PlainObject, options: Options): unknown[] => {
    const { n, expression } = wantedOf(raw, options);
    const { keyOf, compare } = orderBy(parseSort(expression["sortBy"]) ?? [], collationOf(options));
    const keyed = documents
      .map((document) => ({ document, key: keyOf(document as PlainObject) }))
      .sort(compare);
    const found = end === "top" ? keyed.slice(0, n) : keyed.slice(-n);
    return push(
      found.map(({ document }) => document),
      expression["output"],
      options,
    );
  };

/** Computed with doubles; null if there are fewer than `least` numbers. */
const deviation = (operator: typeof mingo.$stdDevPop, least: number) =>
  over((values) => {
    const numbers = values.filter(isNumeric).map(toDouble);
    return numbers.length < least ? null : double(operator(numbers as never, null, {} as never));
  });

/** A percentile of the numbers, as a double. */
function percentiles(target: unknown, raw: PlainObject, options: Options): unknown[] {
  const numbers = inputs(target, raw["input"], options).filter(isNumeric).map(toDouble);
  numbers.sort((a, b) => a - b);
  const shares = evaluate(null, raw["p"], options) as unknown[];
  return shares.map((share) => {
    const place = Math.max(Math.ceil(toDouble(share) * numbers.length) - 1, 0);
    return numbers.length === 0 ? null : double(numbers[place]!);
  });
}

const operators = {
  $sum,
  $avg: over((values) => total(values).average),
  $min: over((values, options) => extreme(-1, values, collationOf(options))),
  $max: over((values, options) => extreme(1, values, collationOf(options))),
  $minN: extremes(-1),
  $maxN: extremes(1),
  $stdDevPop: deviation(mingo.$stdDevPop, 1),
  $stdDevSamp: deviation(mingo.$stdDevSamp, 2),
  $percentile: percentiles,
  $median: (target: unknown, expression: PlainObject, options: Options) =>
    percentiles(target, { ...expression, p: [0.5] }, options)[0],
};

/** Accumulators that are also expressions on an array. */
export const accumulatorExpressions = operators as unknown as Readonly<Record<string, Operator>>;

/** mingo's accumulators, with replacements for those that compute with numbers or compare. */
export const accumulators = {
  ...mingo,
  ...operators,
  $addToSet: over((values, options) => new Distinct(collationOf(options), values).values),
  $top: (documents: unknown[], expression: PlainObject, options: Options) =>
    ranked("top")(documents, expression, options)[0],
  $topN: ranked("top"),
  $bottom: (documents: unknown[], expression: PlainObject, options: Options) =>
    ranked("bottom")(documents, expression, options)[0],
  $bottomN: ranked("bottom"),
} as unknown as Readonly<Record<string, Operator>>;

/** Beyond this, the running sum of ints is moved to the exact sum. */
const MAX_SMALL = 2 ** 52;

/** A sum as in MongoDB's $sum and $avg: exact for whole numbers, with double-double precision for doubles. */
export class Total {
  #kind: Kind = "int";
  #count = 0;
  #small = 0;
  #whole = 0n;
  #double = 0;
  /** The rounding error of `#double`. */
  #lost = 0;
  /** The plain sum of the doubles, for NaN and infinities. */
  #special = 0;
  #decimal: Decimal = { coefficient: 0n, exponent: 0 };

  add(value: unknown): void {
    const kind = kindOf(value);
    this.#kind = widest(this.#kind, kind);
    this.#count++;
    if (kind === "int") {
      this.#small += value as number;
      if (Math.abs(this.#small) > MAX_SMALL) this.#moveSmall();
    } else if (kind === "long") this.#whole += toBigInt(value);
    else if (kind === "double") this.#addDouble(toDouble(value));
    else {
      const decimal = toDecimal(value);
      if (decimal) this.#decimal = toDecimal(toDecimal128(addDecimals(this.#decimal, decimal)))!;
      else this.#special += toDouble(value);
    }
  }

  get sum(): unknown {
    this.#moveSmall();
    if (this.#kind === "decimal") {
      const decimal = this.#asDecimal();
      return decimal ? toDecimal128(decimal) : specialDecimal(this.#special);
    }
    return this.#kind === "double" ? double(this.#asDouble()) : whole(this.#whole, this.#kind);
  }

  get average(): unknown {
    if (this.#count === 0) return null;
    this.#moveSmall();
    if (this.#kind !== "decimal") return double(this.#asDouble() / this.#count);
    const decimal = this.#asDecimal();
    if (!decimal) return specialDecimal(this.#special);
    return toDecimal128(divideDecimals(decimal, { coefficient: BigInt(this.#count), exponent: 0 }));
  }

  #moveSmall(): void {
    this.#whole += BigInt(this.#small);
    this.#small = 0;
  }

  /** Knuth's TwoSum. */
  #addDouble(value: number): void {
    this.#special += value;
    const sum = this.#double + value;
    const part = sum - this.#double;
    this.#lost += this.#double - (sum - part) + (value - part);
    this.#double = sum;
  }

  #asDouble(): number {
    const whole = Number(this.#whole);
    this.#addDouble(whole);
    this.#addDouble(Number(this.#whole - BigInt(whole)));
    this.#whole = 0n;
    return Number.isFinite(this.#special) ? this.#double + this.#lost : this.#special;
  }

  #asDecimal(): Decimal | undefined {
    if (!Number.isFinite(this.#special)) return undefined;
    const doubles = addDecimals(exactDecimal(this.#double), exactDecimal(this.#lost));
    const rest = addDecimals({ coefficient: this.#whole, exponent: 0 }, doubles);
    return addDecimals(this.#decimal, toDecimal(toDecimal128(rest))!);
  }
}
