import { Decimal128 } from "bson";

/** A finite decimal number: coefficient × 10^exponent. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

export type Rounding = "halfEven" | "down" | "floor" | "ceil";

/** https://en.wikipedia.org/wiki/Decimal128_floating-point_format */
const DIGITS = 34;
const MIN_EXPONENT = -6176;
const MAX_MAGNITUDE = 6144;

const ZERO: Decimal = { coefficient: 0n, exponent: 0 };

const powerOf10 = (exponent: number): bigint => 10n ** BigInt(exponent);
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
const digitsOf = ({ coefficient }: Decimal): number => String(magnitude(coefficient)).length;

/** @returns undefined for NaN and infinities */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match || `${match[2] ?? ""}${match[3] ?? ""}` === "") return undefined;
  const fraction = match[3] ?? "";
  const digits = BigInt(`${match[2] ?? ""}${fraction}`);
  return {
    coefficient: match[1] === "-" ? -digits : digits,
    exponent: Number(match[4] ?? 0) - fraction.length,
  };
}

/** The exact value of a finite double. */
export function exactDecimal(value: number): Decimal {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  let mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  if (mantissa === 0n && biased === 0) return ZERO;
  if (biased > 0) mantissa |= 1n << 52n;
  let power = Math.max(biased, 1) - 1075;
  for (; power < 0 && (mantissa & 1n) === 0n; power++) mantissa >>= 1n;
  const scaled = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power);
  return { coefficient: high >>> 31 === 1 ? -scaled : scaled, exponent: Math.min(power, 0) };
}

function dropDigits({ coefficient, exponent }: Decimal, count: number, rounding: Rounding): Decimal {
  const unit = powerOf10(count);
  const rest = coefficient % unit;
  let quotient = coefficient / unit;
  const twice = magnitude(rest) * 2n;
  const isUp =
    rounding === "halfEven"
      ? twice > unit || (twice === unit && quotient % 2n !== 0n)
      : rest !== 0n && rounding === (coefficient < 0n ? "floor" : "ceil");
  if (isUp) quotient += coefficient < 0n ? -1n : 1n;
  return { coefficient: quotient, exponent: exponent + count };
}

/** The number with a given exponent. */
export function quantize(value: Decimal, exponent: number, rounding: Rounding): Decimal {
  const excess = exponent - value.exponent;
  if (excess <= 0) return { coefficient: value.coefficient * powerOf10(-excess), exponent };
  return dropDigits(value, excess, rounding);
}

export const decimalText = ({ coefficient, exponent }: Decimal): string => `${coefficient}E${exponent}`;

/** Rounded to 34 digits. */
export function toDecimal128(value: Decimal): Decimal128 {
  let rounded = value;
  for (let excess = digitsOf(rounded) - DIGITS; excess > 0; excess = digitsOf(rounded) - DIGITS)
    rounded = dropDigits(rounded, excess, "halfEven");
  if (rounded.exponent < MIN_EXPONENT) {
    const excess = Math.min(MIN_EXPONENT - rounded.exponent, digitsOf(rounded) + 1);
    rounded = { ...dropDigits(rounded, excess, "halfEven"), exponent: MIN_EXPONENT };
  }
  const isZero = rounded.coefficient === 0n;
  if (!isZero && digitsOf(rounded) - 1 + rounded.exponent > MAX_MAGNITUDE)
    return Decimal128.fromString(rounded.coefficient < 0n ? "-Infinity" : "Infinity");
  return Decimal128.fromString(decimalText(rounded));
}

/** Limits the exponents to those that are significant for 34 digits, so that powers of ten stay small. */
const MAX_DISTANCE = 2 * DIGITS + 2;

function align(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [
    a.coefficient * powerOf10(a.exponent - exponent),
    b.coefficient * powerOf10(b.exponent - exponent),
    exponent,
  ];
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.coefficient === 0n && a.exponent > b.exponent) return b;
  if (b.coefficient === 0n && b.exponent > a.exponent) return a;
  const [high, low] = a.exponent > b.exponent ? [a, b] : [b, a];
  const floor = high.exponent - MAX_DISTANCE;
  if (low.exponent < floor && digitsOf(low) + low.exponent < floor) return quantize(high, floor, "down");
  const [x, y, exponent] = align(a, b);
  return { coefficient: x + y, exponent };
}

export const negate = ({ coefficient, exponent }: Decimal): Decimal => ({
  coefficient: -coefficient,
  exponent,
});

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal => ({
  coefficient: a.coefficient * b.coefficient,
  exponent: a.exponent + b.exponent,
});

/** The quotient with 34 digits, or fewer if it is exact. The divisor must not be 0. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  const shift = Math.max(0, DIGITS + 1 + digitsOf(b) - digitsOf(a));
  const scaled = a.coefficient * powerOf10(shift);
  let coefficient = scaled / b.coefficient;
  let exponent = a.exponent - b.exponent - shift;
  if (scaled % b.coefficient !== 0n) {
    // Appends a digit so that an inexact quotient isn't rounded like an exact half.
    const sign = scaled < 0n === b.coefficient < 0n ? 1n : -1n;
    return { coefficient: coefficient * 10n + sign, exponent: exponent - 1 };
  }
  for (; exponent < a.exponent - b.exponent && coefficient % 10n === 0n; exponent++) coefficient /= 10n;
  return { coefficient, exponent };
}

/** The remainder with the sign of the dividend. The divisor must not be 0. */
export function remainder(a: Decimal, b: Decimal): Decimal {
  const [x, y, exponent] = align(a, b);
  return { coefficient: x % y, exponent };
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const [x, y] = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}
