import type { Binary } from "bson";
import { CommandError } from "../errors.ts";
import { Distinct } from "../expression/distinct.ts";
import type { Collation } from "../values/collation.ts";
import { compare, encodeKey, valuesEqual } from "../values/order.ts";
import { integerOption, isNumeric, isWhole, toDouble } from "../values/numbers.ts";
import { isNullish, Rank, rankOf, typeName } from "../values/types.ts";
import { isRegex, textTest, toRegExp } from "./regex.ts";

/** Tests a value; `undefined` is a missing field. */
export type ValueTest = (value: unknown) => boolean;

export function equals(operand: unknown, collation: Collation | undefined): ValueTest {
  if (isNullish(operand)) return isNullish;
  if (typeof operand === "string" && !collation)
    return (value) => value === operand || (typeof value === "object" && valuesEqual(value, operand));
  return (value) => value !== undefined && compare(value, operand, collation) === 0;
}

/** `$lt` etc. only compare values of the same type (except with MinKey and MaxKey), and NaN equals only itself. */
export function ordered(operator: string, operand: unknown, collation: Collation | undefined): ValueTest {
  if (isRegex(operand))
    throw new CommandError("BadValue", `Can't have RegEx as arg to predicate over field with ${operator}`);
  const orEqual = operator.endsWith("e");
  const greater = operator.startsWith("$g");
  if (isNullish(operand)) return (value) => orEqual && isNullish(value);
  const rank = rankOf(operand);
  const nan = rank === Rank.Number && Number.isNaN(toDouble(operand));
  const anyType = rank === Rank.MinKey || rank === Rank.MaxKey;
  return (value) => {
    if (value === undefined) return false;
    if (!anyType && rankOf(value) !== rank) return false;
    if (rank === Rank.Number && (nan || Number.isNaN(toDouble(value)))) {
      return orEqual && nan && Number.isNaN(toDouble(value));
    }
    const order = compare(value, operand, collation);
    return order === 0 ? orEqual : order > 0 === greater;
  };
}

export function inList(operator: string, operand: unknown, collation: Collation | undefined): ValueTest {
  if (!Array.isArray(operand)) throw new CommandError("BadValue", `${operator} needs an array`);
  const patterns = operand.filter(isRegex).map((item) => matchesRegex(toRegExp(item)));
  const values = operand.filter((item) => !isRegex(item) && !isNullish(item));
  const has = collation ? hasOneOf(values, collation) : hasKeyOf(values);
  const hasNull = operand.some(isNullish);
  return (value) => {
    if (isNullish(value)) return hasNull;
    return has(value) || patterns.some((test) => test(value));
  };
}

/** Equal values have equal keys, so the cost per document is independent of the length of the list. */
function hasKeyOf(values: readonly unknown[]): ValueTest {
  const keys = new Set(values.map((value) => encodeKey(value)));
  return (value) => keys.has(encodeKey(value));
}

function hasOneOf(values: readonly unknown[], collation: Collation): ValueTest {
  const list = new Distinct(collation, values);
  return (value) => list.has(value);
}

export function matchesRegex(regex: RegExp): ValueTest {
  const test = textTest(regex);
  return (value) => {
    if (typeof value === "string") return test(value);
    return isRegex(value) && String(toRegExp(value)) === String(regex);
  };
}

export function modulo(operand: unknown): ValueTest {
  if (!Array.isArray(operand) || operand.length !== 2 || !operand.every(isNumeric)) {
    throw new CommandError("BadValue", "malformed mod, needs to be an array of two numbers");
  }
  const [divisor, remainder] = operand.map((part) => Math.trunc(toDouble(part))) as [number, number];
  if (divisor === 0) throw new CommandError("BadValue", "divisor cannot be 0");
  return (value) => isNumeric(value) && Math.trunc(toDouble(value)) % divisor === remainder;
}

const TYPE_BY_NUMBER: Record<string, string> = {
  "-1": "minKey",
  1: "double",
  2: "string",
  3: "object",
  4: "array",
  5: "binData",
  6: "undefined",
  7: "objectId",
  8: "bool",
  9: "date",
  10: "null",
  11: "regex",
  13: "javascript",
  14: "symbol",
  15: "javascriptWithScope",
  16: "int",
  17: "timestamp",
  18: "long",
  19: "decimal",
  127: "maxKey",
};
const TYPE_NAMES = new Set(Object.values(TYPE_BY_NUMBER));

export function hasType(operand: unknown): ValueTest {
  const wanted = new Set<string>();
  for (const type of Array.isArray(operand) ? operand : [operand]) {
    const name = isNumeric(type) ? TYPE_BY_NUMBER[String(toDouble(type))] : String(type);
    if (name === "number") for (const kind of ["int", "long", "double", "decimal"]) wanted.add(kind);
    else if (name !== undefined && TYPE_NAMES.has(name)) wanted.add(name);
    else throw new CommandError("BadValue", `Unknown type name alias: ${String(type)}`);
  }
  return (value) => value !== undefined && wanted.has(typeName(value));
}

/** The bits of a binary value; bit 0 is the lowest bit of the first byte. */
const binaryBits = ({ buffer, position }: Binary): bigint =>
  buffer.subarray(0, position).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

const isBinary = (value: unknown): value is Binary => rankOf(value) === Rank.Binary;

/** `$bitsAllSet` etc. on whole numbers and binary values. */
export function bits(operator: string, operand: unknown): ValueTest {
  let mask = 0n;
  if (Array.isArray(operand))
    for (const bit of operand) mask |= 1n << BigInt(integerOption(bit, operator, 0));
  else if (isBinary(operand)) mask = binaryBits(operand);
  else if (isWhole(operand)) mask = BigInt(integerOption(operand, operator, 0));
  else throw new CommandError("BadValue", `${operator} takes an Array, a number, or a BinData`);
  const wantSet = operator.endsWith("Set");
  const all = operator.startsWith("$bitsAll");
  return (value) => {
    if (!isBinary(value) && !(isNumeric(value) && Number.isInteger(toDouble(value)))) return false;
    const set = (isBinary(value) ? binaryBits(value) : BigInt(toDouble(value))) & mask;
    if (wantSet) return all ? set === mask : set !== 0n;
    return all ? set === 0n : set !== mask;
  };
}
