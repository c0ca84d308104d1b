import { Double, Long } from "bson";
import { CommandError } from "../errors.ts";
import {
  addDecimals,
  decimalText,
  type Decimal,
  divideDecimals,
  exactDecimal,
  multiplyDecimals,
  negate,
  parseDecimal,
  quantize,
  remainder,
  type Rounding,
  toDecimal128,
} from "../values/decimal.ts";
import {
  fitsLong,
  integerOption,
  isNumeric,
  type Kind,
  kindOf,
  specialDecimal,
  toBigInt,
  toDecimal,
  toDouble,
} from "../values/numbers.ts";
import { typeName } from "../values/types.ts";

/** Arithmetic of expressions on computed values (`toComputed`), with MongoDB's result types. */

/** A double as a computed value. */
export const double = (value: number): number | Double =>
  kindOf(value) === "int" ? new Double(value) : value;

export const long = (value: bigint | number): Long => Long.fromBigInt(BigInt(value));

/** A whole number as the narrowest type of int, long and double. */
export function whole(value: bigint, narrowest: Kind = "int"): unknown {
  if (!fitsLong(value)) return double(Number(value));
  const number = Number(value);
  return narrowest === "int" && kindOf(number) === "int" ? number : long(value);
}

const WIDTH: Readonly<Record<Kind, number>> = { int: 0, long: 1, double: 2, decimal: 3 };

export const widest = (a: Kind, b: Kind): Kind => (WIDTH[a] >= WIDTH[b] ? a : b);

interface Arithmetic {
  readonly double: (a: number, b: number) => number;
  readonly long: (a: bigint, b: bigint) => bigint;
  readonly decimal: (a: Decimal, b: Decimal) => Decimal;
}

const ADD: Arithmetic = { double: (a, b) => a + b, long: (a, b) => a + b, decimal: addDecimals };
const SUBTRACT: Arithmetic = {
  double: (a, b) => a - b,
  long: (a, b) => a - b,
  decimal: (a, b) => addDecimals(a, negate(b)),
};
const MULTIPLY: Arithmetic = { double: (a, b) => a * b, long: (a, b) => a * b, decimal: multiplyDecimals };

/** The result has the wider of the two types. An overflowing int becomes a long, and an overflowing long a double. */
function calculate(a: unknown, b: unknown, { double: real, long: exact, decimal }: Arithmetic): unknown {
  const kind = widest(kindOf(a), kindOf(b));
  if (kind === "decimal") return inDecimal(a, b, real, decimal);
  if (kind === "double") return double(real(toDouble(a), toDouble(b)));
  const result = real(toDouble(a), toDouble(b));
  if (kind === "int" && Number.isSafeInteger(result)) return whole(BigInt(result));
  return whole(exact(toBigInt(a), toBigInt(b)), kind);
}

function inDecimal(
  a: unknown,
  b: unknown,
  real: Arithmetic["double"],
  decimal: Arithmetic["decimal"],
): unknown {
  const [x, y] = [toDecimal(a), toDecimal(b)];
  return x && y ? toDecimal128(decimal(x, y)) : specialDecimal(real(toDouble(a), toDouble(b)));
}

export const add = (a: unknown, b: unknown): unknown => calculate(a, b, ADD);
export const subtract = (a: unknown, b: unknown): unknown => calculate(a, b, SUBTRACT);
export const multiply = (a: unknown, b: unknown): unknown => calculate(a, b, MULTIPLY);

/** The result is a double, or a decimal if one of the operands is. */
export function divide(a: unknown, b: unknown): unknown {
  if (toDouble(b) === 0) throw new CommandError("BadValue", "can't $divide by zero");
  if (widest(kindOf(a), kindOf(b)) === "decimal") return inDecimal(a, b, (x, y) => x / y, divideDecimals);
  return double(toDouble(a) / toDouble(b));
}

export function modulo(a: unknown, b: unknown): unknown {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (y === 0) throw new CommandError("Location16610", "can't $mod by zero");
  const [left, right] = [kindOf(a), kindOf(b)];
  if (widest(left, right) === "decimal") return inDecimal(a, b, (m, n) => m % n, remainder);
  if (left === "double" || (right === "double" && !Number.isInteger(y))) return double(x % y);
  const isLong = left === "long" || right === "long";
  return whole(toBigInt(a) % toBigInt(b), isLong ? "long" : "int");
}

export function absolute(value: unknown): unknown {
  if (toDouble(value) >= 0 && !Object.is(value, -0)) return value;
  if (kindOf(value) === "decimal") {
    const decimal = toDecimal(value);
    return decimal ? toDecimal128(negate(decimal)) : specialDecimal(Math.abs(toDouble(value)));
  }
  if (kindOf(value) === "double") return double(Math.abs(toDouble(value)));
  const positive = -toBigInt(value);
  if (!fitsLong(positive)) throw new CommandError("Location28680", "can't take $abs of long long min");
  return whole(positive, kindOf(value));
}

/** The range of the places of `$round` and `$trunc`. */
const PLACES = { min: -20, max: 100 };

/** Rounds to a number of decimal places. */
export function round(value: unknown, rawPlace: unknown, rounding: Rounding): unknown {
  const place = integerOption(rawPlace, "place", 0);
  if (place < PLACES.min || place > PLACES.max) {
    throw new CommandError(
      "Location51083",
      `cannot apply $round with precision value ${place}: it must be in [${PLACES.min}, ${PLACES.max}]`,
    );
  }
  const kind = kindOf(value);
  if (kind !== "double" && kind !== "decimal") {
    if (place >= 0) return value;
    const { coefficient, exponent } = quantize(
      { coefficient: toBigInt(value), exponent: 0 },
      -place,
      rounding,
    );
    return whole(coefficient * 10n ** BigInt(exponent), kind);
  }
  const number = toDouble(value);
  if (!Number.isFinite(number)) return value;
  if (kind === "decimal") return toDecimal128(quantize(toDecimal(value)!, -place, rounding));
  const rounded = Number(decimalText(quantize(exactDecimal(number), -place, rounding)));
  return double(rounded === 0 && number < 0 ? -0 : rounded);
}

/** A power of whole numbers stays whole as long as it fits. */
export function power(base: unknown, exponent: unknown): unknown {
  const [x, y] = [toDouble(base), toDouble(exponent)];
  if (x === 0 && y < 0)
    throw new CommandError("Location28764", "$pow cannot take a base of 0 and a negative exponent");
  const kind = widest(kindOf(base), kindOf(exponent));
  if (kind === "decimal") return fromReal(x ** y, true);
  const isExact = kind !== "double" && y >= 0 && (Math.abs(x) <= 1 || y < 64);
  if (!isExact) return double(x ** y);
  const exact = toBigInt(base) ** (Math.abs(x) <= 1 ? BigInt(y % 2) + (y > 0 ? 2n : 0n) : BigInt(y));
  return fitsLong(exact) ? whole(exact, kind) : double(x ** y);
}

/** The result of a real function: computed with doubles, and a decimal if an argument is one. */
export const fromReal = (result: number, isDecimal: boolean): unknown => {
  if (!isDecimal) return double(result);
  const decimal = parseDecimal(String(result));
  return decimal ? toDecimal128(decimal) : specialDecimal(result);
};

/** @throws CommandError TypeMismatch */
export function requireNumbers(operator: string, values: readonly unknown[]): void {
  for (const value of values) {
    if (!isNumeric(value)) {
      throw new CommandError(
        "TypeMismatch",
        `${operator} only supports numeric types, not ${typeName(value)}`,
      );
    }
  }
}
