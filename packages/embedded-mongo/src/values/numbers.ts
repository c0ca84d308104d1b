import { Decimal128, Double, Int32, Long } from "bson";
import { CommandError } from "../errors.ts";
import { bsonType, rankOf, Rank } from "./types.ts";

const INT32_MIN = -0x80000000;
const INT32_MAX = 0x7fffffff;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export const isNumeric = (value: unknown): boolean => rankOf(value) === Rank.Number;

/** The nearest double of any BSON number; NaN for everything that is not a number. */
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

/**
 * A number option of a command (limit, skip, batchSize …) as a safe integer.
 * @throws CommandError TypeMismatch when it is no number, BadValue when it is no whole number in the range
 */
export function integerOption(value: unknown, name: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  if (!isNumeric(value)) throw new CommandError("TypeMismatch", `Field '${name}' must be a number`);
  const number = toDouble(value);
  if (!Number.isFinite(number)) throw new CommandError("BadValue", `Field '${name}' must be finite`);
  return Math.trunc(number);
}

type Kind = "int" | "long" | "double" | "decimal";

function kindOf(value: unknown): Kind {
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
  return Number.isInteger(value) && (value as number) >= INT32_MIN && (value as number) <= INT32_MAX
    ? "int"
    : "double";
}

const toBigInt = (value: unknown): bigint => {
  if (bsonType(value) === "Long") return (value as Long).toBigInt();
  return typeof value === "bigint" ? value : BigInt(toDouble(value));
};

/** coefficient × 10^exponent, or undefined for NaN and infinities. */
function decimalParts(text: string): { coefficient: bigint; exponent: number } | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match || `${match[2] ?? ""}${match[3] ?? ""}` === "") return undefined;
  const fraction = match[3] ?? "";
  const digits = BigInt(`${match[2] ?? ""}${fraction}`);
  return {
    coefficient: match[1] === "-" ? -digits : digits,
    exponent: Number(match[4] ?? 0) - fraction.length,
  };
}

const numberText = (value: unknown): string =>
  kindOf(value) === "decimal"
    ? (value as Decimal128).toString()
    : String(kindOf(value) === "double" ? toDouble(value) : toBigInt(value));

function decimalArithmetic(a: unknown, b: unknown, multiply: boolean): Decimal128 {
  const x = decimalParts(numberText(a));
  const y = decimalParts(numberText(b));
  if (!x || !y) {
    const result = multiply ? toDouble(a) * toDouble(b) : toDouble(a) + toDouble(b);
    return Decimal128.fromString(String(result));
  }
  if (multiply) {
    return Decimal128.fromStringWithRounding(`${x.coefficient * y.coefficient}E${x.exponent + y.exponent}`);
  }
  const exponent = Math.min(x.exponent, y.exponent);
  if (Math.abs(x.exponent - y.exponent) > 80) {
    return Decimal128.fromString(String(toDouble(a) + toDouble(b)));
  }
  const sum =
    x.coefficient * 10n ** BigInt(x.exponent - exponent) +
    y.coefficient * 10n ** BigInt(y.exponent - exponent);
  return Decimal128.fromStringWithRounding(`${sum}E${exponent}`);
}

/**
 * `$inc` and `$mul`: the wider type of the two wins (int, long, double, decimal), an int that overflows becomes a long.
 * @throws CommandError BadValue when a long overflows
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
  if (result < INT64_MIN || result > INT64_MAX) {
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

/** True for the kinds `$bit` accepts. */
export const isWhole = (value: unknown): boolean => {
  const kind = isNumeric(value) ? kindOf(value) : undefined;
  return kind === "int" || kind === "long";
};
