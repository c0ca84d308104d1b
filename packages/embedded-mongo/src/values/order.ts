import type { Binary, BSONRegExp, Code, Long, ObjectId, Timestamp } from "bson";
import type { Collation } from "./collation.ts";
import { compareNumbers, toDouble } from "./numbers.ts";
import { bsonType, type PlainObject, Rank, rankOf } from "./types.ts";

const BEYOND_ASCII = /[\u0080-\uffff]/;

function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  if (BEYOND_ASCII.test(a) || BEYOND_ASCII.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** MongoDB's order of all BSON values, consistent with the index keys of {@link encodeKey}. */
export function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  switch (rank) {
    case Rank.String:
      return compareStrings(String(a), String(b));
    case Rank.Number: {
      const [x, y] = [toDouble(a), toDouble(b)];
      if (x < y) return -1;
      if (x > y) return 1;
      if (Math.abs(x) < 2 ** 53 && Math.abs(y) < 2 ** 53) return 0;
      break;
    }
    case Rank.ObjectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case Rank.Date:
      return (a as Date).getTime() - (b as Date).getTime();
    case Rank.Boolean:
      return Number(a) - Number(b);
    case Rank.Null:
    case Rank.Undefined:
    case Rank.MinKey:
    case Rank.MaxKey:
      return 0;
    default:
  }
  const [x, y] = [encodeKey(a), encodeKey(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

export const valuesEqual = (a: unknown, b: unknown): boolean => compareValues(a, b) === 0;

/** Like `compareValues`, but with a collation for strings, and exact for decimals, whose index keys have the precision of a double. */
export function compareExactly(a: unknown, b: unknown, collation: Collation | undefined): number {
  const rank = rankOf(a);
  if (rank !== rankOf(b)) return compareValues(a, b);
  if (rank === Rank.Number) return compareNumbers(a, b);
  if (rank === Rank.String && collation) return collation.compare(String(a), String(b));
  if (rank === Rank.Array) return compareLists(a as unknown[], b as unknown[], collation);
  if (rank === Rank.Object) return compareObjects(a as PlainObject, b as PlainObject, collation);
  return compareValues(a, b);
}

/** Compares like queries and updates: with the collation, if there is one. */
export const compare = (a: unknown, b: unknown, collation: Collation | undefined): number =>
  collation ? compareExactly(a, b, collation) : compareValues(a, b);

/** Compares field by field: type, name, value. */
function compareObjects(a: PlainObject, b: PlainObject, collation: Collation | undefined): number {
  const [fields, others] = [Object.entries(a), Object.entries(b)];
  for (const [i, [name, value]] of fields.entries()) {
    const [otherName, other] = others[i] ?? [];
    if (otherName === undefined) return 1;
    const order =
      rankOf(value) - rankOf(other) ||
      compareStrings(name, otherName) ||
      compareExactly(value, other, collation);
    if (order !== 0) return order;
  }
  return fields.length - others.length;
}

function compareLists(
  a: readonly unknown[],
  b: readonly unknown[],
  collation: Collation | undefined,
): number {
  for (const [i, value] of a.entries()) {
    if (i === b.length) return 1;
    const order = compareExactly(value, b[i], collation);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/**
 * Order-preserving encoding: for two values of any BSON type, encodeKey(a) < encodeKey(b) if and only if MongoDB sorts a before b, and
 * the keys are equal if and only if MongoDB considers the values equal (decimals have double precision). Every character is one byte
 * (0–255), so V8 stores it in one byte. No encoding is a prefix of another, so concatenated encodings compare field by field.
 */

const f64 = new DataView(new ArrayBuffer(8));
const TAG: string[] = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const TWO_53 = 2 ** 53;

function encodeDouble(value: number): string {
  if (Number.isNaN(value)) return "\0\0\0\0\0\0\0\0";
  f64.setFloat64(0, value === 0 ? 0 : value);
  let high = f64.getUint32(0);
  let low = f64.getUint32(4);
  if (high & 0x80000000) {
    high = ~high >>> 0;
    low = ~low >>> 0;
  } else {
    high = (high | 0x80000000) >>> 0;
  }
  return String.fromCharCode(
    high >>> 24,
    (high >>> 16) & 255,
    (high >>> 8) & 255,
    high & 255,
    low >>> 24,
    (low >>> 16) & 255,
    (low >>> 8) & 255,
    low & 255,
  );
}

/** From 2^53 on a double can't represent every long, so the distance from the double follows in 2 bytes. */
function encodeNumber(value: unknown): string {
  const double = toDouble(value);
  if (!(Math.abs(double) >= TWO_53) || !Number.isFinite(double)) return encodeDouble(double);
  const exact =
    bsonType(value) === "Long"
      ? (value as Long).toBigInt()
      : typeof value === "bigint"
        ? value
        : BigInt(double);
  const distance = bsonType(value) === "Decimal128" ? 0 : Number(exact - BigInt(double));
  const code = distance + 0x8000;
  return encodeDouble(double) + String.fromCharCode(code >>> 8, code & 255);
}

/**
 * UTF-8 bytes, by which MongoDB compares strings, with a NUL terminator. NUL and \x01 are escaped as two bytes that start with \x01, so
 * that shorter strings sort first and no encoding is a prefix of another.
 */
function encodeString(value: string): string {
  const bytes = BEYOND_ASCII.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value;
  if (!bytes.includes("\0") && !bytes.includes("\x01")) return `${bytes}\0`;
  return `${bytes.replaceAll("\x01", "\x01\x02").replaceAll("\0", "\x01\x01")}\0`;
}

/** Encodes a string with a terminator, so that no encoding is a prefix of another. */
export type EncodeText = (text: string) => string;

const encodeUint32 = (value: number): string =>
  String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

function encodeObject(object: PlainObject, encodeText: EncodeText): string {
  let out = "";
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined) out += TAG[rankOf(value)]! + encodeString(name) + encodeKey(value, encodeText);
  }
  return `${out}\0`;
}

/** @param encodeText encodes strings; with a collation, keys can only be compared for equality */
export function encodeKey(value: unknown, encodeText: EncodeText = encodeString): string {
  if (typeof value === "string") return `${TAG[Rank.String]!}${encodeText(value)}`;
  const rank = rankOf(value);
  const tag = TAG[rank]!;
  switch (rank) {
    case Rank.Number:
      return tag + encodeNumber(value);
    case Rank.String:
      return tag + encodeText(String(value));
    case Rank.ObjectId:
      return tag + Buffer.from((value as ObjectId).id).toString("latin1");
    case Rank.Boolean:
      return tag + (value === true ? "\x02" : "\x01");
    case Rank.Date:
      return tag + encodeDouble((value as Date).getTime());
    case Rank.Array: {
      let out = tag;
      for (const element of value as unknown[]) out += encodeKey(element ?? null, encodeText);
      return `${out}\0`;
    }
    case Rank.Object:
      return tag + encodeObject(value as PlainObject, encodeText);
    case Rank.Binary: {
      const binary = value as Binary;
      const bytes = Buffer.from(binary.buffer.subarray(0, binary.position)).toString("latin1");
      return tag + encodeUint32(bytes.length) + TAG[binary.sub_type]! + bytes;
    }
    case Rank.Timestamp: {
      const stamp = value as Timestamp;
      return tag + encodeUint32(stamp.getHighBitsUnsigned()) + encodeUint32(stamp.getLowBitsUnsigned());
    }
    case Rank.RegExp: {
      const [pattern, options] =
        value instanceof RegExp
          ? [value.source, value.flags]
          : [(value as BSONRegExp).pattern, (value as BSONRegExp).options];
      return tag + encodeString(pattern) + encodeString(options);
    }
    case Rank.Code: {
      const code = value as Code;
      return tag + encodeString(code.code) + (code.scope ? encodeKey(code.scope) : "");
    }
    default:
      return tag;
  }
}

/** The encoding with reverse order, for descending fields. */
export function invertKey(key: string): string {
  const bytes = Buffer.from(key, "latin1");
  for (let i = 0; i < bytes.length; i++) bytes[i] = 255 - bytes[i]!;
  return bytes.toString("latin1");
}

/** Suffix of a range bound: sorts after every encoded key with the same prefix. */
export const AFTER = "\u0100";

/** An encoded key as stored on disk. */
export const keyBytes = (key: string): Buffer => Buffer.from(key, "latin1");
