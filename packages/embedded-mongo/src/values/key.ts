import type { Binary, BSONRegExp, Code, Long, ObjectId, Timestamp } from "bson";
import { bsonType, type PlainObject, Rank, rankOf } from "./types.ts";
import { toDouble } from "./numbers.ts";

/**
 * Order-preserving encoding: for two values of any BSON type, encodeKey(a) < encodeKey(b) if and only if MongoDB sorts a before b, and
 * the keys are equal if and only if MongoDB considers the values equal (decimals have double precision). Every character is one byte
 * (0–255), so V8 stores it in one byte. No encoding is a prefix of another, so concatenated encodings compare field by field.
 */

const f64 = new DataView(new ArrayBuffer(8));
const TAG: string[] = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const TWO_53 = 2 ** 53;
const BEYOND_ASCII = /[\u0080-\uffff]/;

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
