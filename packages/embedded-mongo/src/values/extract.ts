import type { Document } from "bson";
import { decodeExact, type PackedDocument } from "./codec.ts";

const int32 = (data: PackedDocument, at: number): number =>
  data.charCodeAt(at) |
  (data.charCodeAt(at + 1) << 8) |
  (data.charCodeAt(at + 2) << 16) |
  (data.charCodeAt(at + 3) << 24);

const uint32Text = (value: number): string =>
  String.fromCharCode(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);

/** The size of a value by its BSON type; https://bsonspec.org/spec.html */
function valueBytes(data: PackedDocument, type: number, at: number): number {
  switch (type) {
    case 0x01: // double
    case 0x09: // date
    case 0x11: // timestamp
    case 0x12: // long
      return 8;
    case 0x02: // string
    case 0x0d: // code
    case 0x0e: // symbol
      return 4 + int32(data, at);
    case 0x03: // document
    case 0x04: // array
    case 0x0f: // code with scope
      return int32(data, at);
    case 0x05: // binary
      return 5 + int32(data, at);
    case 0x07: // ObjectId
      return 12;
    case 0x08: // boolean
      return 1;
    case 0x0b: // regular expression
      return data.indexOf("\0", data.indexOf("\0", at) + 1) + 1 - at;
    case 0x0c: // DBPointer
      return 16 + int32(data, at);
    case 0x10: // int
      return 4;
    case 0x13: // decimal
      return 16;
    default: // null, undefined, MinKey, MaxKey
      return 0;
  }
}

/** Field names as encoded in a packed document. */
export type PackedNames = ReadonlySet<string>;

export const packNames = (names: Iterable<string>): PackedNames =>
  new Set(Array.from(names, (name) => Buffer.from(name, "utf8").toString("latin1")));

/** Decodes only the given top-level fields of a stored document, and skips the others. */
export function decodeFields(data: PackedDocument, wanted: PackedNames): Document {
  let elements = "";
  let missing = wanted.size;
  let at = 4;
  const end = data.length - 1;
  while (at < end && missing > 0) {
    const nameEnd = data.indexOf("\0", at + 1);
    const next = nameEnd + 1 + valueBytes(data, data.charCodeAt(at), nameEnd + 1);
    if (wanted.has(data.slice(at + 1, nameEnd))) {
      elements += data.slice(at, next);
      missing--;
    }
    at = next;
  }
  return decodeExact(Buffer.from(`${uint32Text(elements.length + 5)}${elements}\0`, "latin1"));
}
