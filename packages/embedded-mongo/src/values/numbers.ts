import { Decimal128, Double, Int32, Long } from "bson";
import { CommandError } from "../errors.ts";
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  exactDecimal,
  multiplyDecimals,
  parseDecimal,
  toDecimal128,
} from "./decimal.ts";
import { bsonType, rankOf, Rank } from "./types.ts";

const INT32_MIN = -0x80000000;
const INT32_MAX = 0x7fffffff;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export const isNumeric = (value: unknown): boolean => rankOf(value) === Rank.Number;

/** The nearest double of any BSON number; NaN for other values. */
export function toDouble(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  switch (bsonType(value)) {
    case "Int32":
    case "Double":
      return (value as Int32 | Double).value;
    case "Long":
      return (value as Long).toNumber();
    case "Decimal128":
      return Number((value as Decimal128).toString());
    default:
      return Number.NaN;
  }
}

/** Whether an option is set. */
export const isTruthy = (value: unknown): boolean =>
  isNumeric(value) ? toDouble(value) !== 0 : value === true;

/**
 * Parses a numeric option of a command (limit, skip, batchSize …) as a safe integer.
 * @throws CommandError TypeMismatch if it isn't a number, BadValue if it isn't a whole number in the range
 */
export function integerOption(value: unknown, name: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  if (!isNumeric(value)) throw new CommandError("TypeMismatch", `Field '${name}' must be a number`);
  const number = toDouble(value);
  if (!Number.isFinite(number)) throw new CommandError("BadValue", `Field '${name}' must be finite`);
  return Math.trunc(number);
}

export type Kind = "int" | "long" | "double" | "decimal";

const isInt32 = (value: number): boolean => (value | 0) === value && !Object.is(value, -0);

/** A JavaScript number is an int if `bson` would encode it as one. */
export function kindOf(value: unknown): Kind {
  switch (bsonType(value)) {
    case "Int32":
      return "int";
    case "Long":
      return "long";
    case "Double":
      return "double";
    case "Decimal128":
      return "decimal";
    default:
  }
  if (typeof value === "bigint") return "long";
  return isInt32(value as number) ? "int" : "double";
}

export const toBigInt = (value: unknown): bigint => {
  if (bsonType(value) === "Long") return (value as Long).toBigInt();
  return typeof value === "bigint" ? value : BigInt(toDouble(value));
};

export const fitsLong = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

/** The significant digits when MongoDB converts a double to a decimal. */
const DOUBLE_DIGITS = 15;

/** A finite number as a decimal, a double rounded to 15 digits as MongoDB does; undefined for NaN and infinities. */
export function toDecimal(value: unknown): Decimal | undefined {
  switch (kindOf(value)) {
    case "decimal":
      return parseDecimal((value as Decimal128).toString());
    case "double":
      return parseDecimal(toDouble(value).toPrecision(DOUBLE_DIGITS));
    default:
      return { coefficient: toBigInt(value), exponent: 0 };
  }
}

/** Like `toDecimal`, but not rounded. */
const toExactDecimal = (value: unknown): Decimal | undefined => {
  if (kindOf(value) !== "double") return toDecimal(value);
  const double = toDouble(value);
  return Number.isFinite(double) ? exactDecimal(double) : undefined;
};

export const specialDecimal = (value: number): Decimal128 => Decimal128.fromString(String(value));

/** Compares two numbers exactly; NaN is the lowest. */
export function compareNumbers(a: unknown, b: unknown): number {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (x < y) return -1;
  if (x > y) return 1;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(y)) - Number(Number.isNaN(x));
  const [left, right] = [toExactDecimal(a), toExactDecimal(b)];
  if (left && right) return compareDecimals(left, right);
  // One is infinite, the other is only beyond the range of a double.
  return x > 0 ? Number(!left) - Number(!right) : Number(!right) - Number(!left);
}

function decimalArithmetic(a: unknown, b: unknown, multiply: boolean): Decimal128 {
  const [x, y] = [toDecimal(a), toDecimal(b)];
  if (x && y) return toDecimal128(multiply ? multiplyDecimals(x, y) : addDecimals(x, y));
  return specialDecimal(multiply ? toDouble(a) * toDouble(b) : toDouble(a) + toDouble(b));
}

/**
 * `$inc` and `$mul`: the result has the wider of the two types (int, long, double, decimal); an overflowing int becomes a long.
 * @throws CommandError BadValue if a long overflows
 */
export function arithmetic(
  a: unknown,
  b: unknown,
  operation: "add" | "multiply",
): Int32 | Long | Double | Decimal128 {
  const kinds = [kindOf(a), kindOf(b)];
  const multiply = operation === "multiply";
  if (kinds.includes("decimal")) return decimalArithmetic(a, b, multiply);
  if (kinds.includes("double")) {
    const [x, y] = [toDouble(a), toDouble(b)];
    return new Double(multiply ? x * y : x + y);
  }
  if (!kinds.includes("long")) {
    const [x, y] = [toDouble(a), toDouble(b)];
    const result = multiply ? x * y : x + y;
    if (result >= INT32_MIN && result <= INT32_MAX) return new Int32(result);
  }
  const [x, y] = [toBigInt(a), toBigInt(b)];
  const result = multiply ? x * y : x + y;
  if (!fitsLong(result)) {
    throw new CommandError(
      "BadValue",
      `Failed to apply $${multiply ? "mul" : "inc"}: the result does not fit 64 bits`,
    );
  }
  return Long.fromBigInt(result);
}

/** `$bit` on int or long. */
export function bitwise(a: unknown, b: unknown, operation: "and" | "or" | "xor"): Int32 | Long {
  const [x, y] = [toBigInt(a), toBigInt(b)];
  const result = operation === "and" ? x & y : operation === "or" ? x | y : x ^ y;
  return kindOf(a) === "int" && kindOf(b) === "int"
    ? new Int32(Number(result))
    : Long.fromBigInt(BigInt.asIntN(64, result));
}

/** Whether `$bit` accepts the type. */
export const isWhole = (value: unknown): boolean => {
  const kind = isNumeric(value) ? kindOf(value) : undefined;
  return kind === "int" || kind === "long";
};
