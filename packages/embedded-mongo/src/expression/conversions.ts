import { Decimal128, ObjectId } from "bson";
import { CommandError } from "../errors.ts";
import { quantize, toDecimal128 } from "../values/decimal.ts";
import {
  fitsLong,
  isNumeric,
  kindOf,
  specialDecimal,
  toBigInt,
  toDecimal,
  toDouble,
} from "../values/numbers.ts";
import { bsonType, typeName } from "../values/types.ts";
import { double, long } from "./numeric.ts";

type Conversion = (value: unknown) => unknown;

const refused = (value: unknown, type: string, why = "") =>
  new CommandError(
    "ConversionFailure",
    `Failed to convert a value of type ${typeName(value)} to ${type} in $convert with no onError value${why}`,
  );

function toWhole(value: unknown, type: string): bigint {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "string" && /^[+-]?\d+$/.test(value)) return BigInt(value.replace(/^\+/, ""));
  if (!isNumeric(value)) throw refused(value, type);
  if (kindOf(value) === "int" || kindOf(value) === "long") return toBigInt(value);
  const number = toDouble(value);
  if (!Number.isFinite(number)) throw refused(value, type, ": it is not finite");
  return kindOf(value) === "double"
    ? BigInt(Math.trunc(number))
    : quantize(toDecimal(value)!, 0, "down").coefficient;
}

function toLong(value: unknown): unknown {
  const number = value instanceof Date ? BigInt(value.getTime()) : toWhole(value, "long");
  if (!fitsLong(number)) throw refused(value, "long", ": it overflows");
  return long(number);
}

function toInt(value: unknown): unknown {
  const number = Number(toWhole(value, "int"));
  if (kindOf(number) !== "int") throw refused(value, "int", ": it overflows");
  return number;
}

function toReal(value: unknown): unknown {
  if (value instanceof Date) return double(value.getTime());
  if (typeof value === "boolean") return double(Number(value));
  if (typeof value === "string" && /^[+-]?(?:\d|\.\d|NaN$|Infinity$)/i.test(value)) {
    const number = Number(value);
    if (!Number.isNaN(number) || value === "NaN") return double(number);
  }
  if (!isNumeric(value)) throw refused(value, "double");
  return double(toDouble(value));
}

function toDecimalNumber(value: unknown): unknown {
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()));
  if (typeof value === "boolean") return Decimal128.fromString(value ? "1" : "0");
  if (typeof value === "string") {
    try {
      return Decimal128.fromStringWithRounding(value);
    } catch {
      throw refused(value, "decimal");
    }
  }
  if (!isNumeric(value)) throw refused(value, "decimal");
  if (kindOf(value) === "decimal") return value;
  const decimal = toDecimal(value);
  return decimal ? toDecimal128(decimal) : specialDecimal(toDouble(value));
}

export const toBoolean = (value: unknown): boolean =>
  isNumeric(value) ? toDouble(value) !== 0 : value !== false && value !== null && value !== undefined;

function toText(value: unknown): unknown {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (bsonType(value) === "ObjectId") return (value as ObjectId).toHexString();
  if (!isNumeric(value)) throw refused(value, "string");
  if (kindOf(value) === "decimal") return String(value);
  return kindOf(value) === "double" ? String(toDouble(value)) : String(toBigInt(value));
}

function toDate(value: unknown): unknown {
  if (value instanceof Date) return value;
  if (bsonType(value) === "ObjectId") return (value as ObjectId).getTimestamp();
  const date = new Date(typeof value === "string" ? value : isNumeric(value) ? toDouble(value) : Number.NaN);
  if (Number.isNaN(date.getTime())) throw refused(value, "date");
  return date;
}

function toObjectId(value: unknown): unknown {
  if (bsonType(value) === "ObjectId") return value;
  if (typeof value !== "string" || !/^[\da-f]{24}$/i.test(value)) throw refused(value, "objectId");
  return ObjectId.createFromHexString(value);
}

/** By the type names and numbers of `$convert`. Null and missing values are not converted. */
export const conversions: Readonly<Record<string, Conversion>> = {
  double: toReal,
  1: toReal,
  string: toText,
  2: toText,
  objectId: toObjectId,
  7: toObjectId,
  bool: toBoolean,
  8: toBoolean,
  date: toDate,
  9: toDate,
  int: toInt,
  16: toInt,
  long: toLong,
  18: toLong,
  decimal: toDecimalNumber,
  19: toDecimalNumber,
};
