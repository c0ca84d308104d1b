import { DBRef, deserialize, type DeserializeOptions, type Document, serialize } from "bson";
import { setField } from "./plain.ts";
import { isObject } from "./types.ts";

const EXACT: DeserializeOptions = {
  promoteValues: false,
  promoteBuffers: false,
  bsonRegExp: true,
  validation: { utf8: false },
};
const PLAIN: DeserializeOptions = {
  promoteValues: true,
  promoteBuffers: false,
  bsonRegExp: true,
  validation: { utf8: false },
};
const EXACT_RAW_DOCUMENTS: DeserializeOptions = { ...EXACT, fieldsAsRaw: { documents: true } };

/** BSON bytes as a string with one byte per character: 16 bytes of overhead instead of about 300 for a Buffer. */
export type PackedDocument = string;

/** Decodes with distinct BSON types: Int32, Double and Long stay wrapped, so that encoding returns the same bytes. */
export const decodeExact = (bytes: Uint8Array): Document => decode(bytes, EXACT);

/** Like {@link decodeExact}, but leaves the elements of the field `documents` as BSON bytes. */
export const decodeExactRawDocuments = (bytes: Uint8Array): Document => decode(bytes, EXACT_RAW_DOCUMENTS);

/** Decodes numbers to JavaScript numbers, which mingo computes with. A Long beyond 2^53 stays a Long. */
export const decodePlain = (bytes: Uint8Array): Document => decode(bytes, PLAIN);

const REFERENCE = Buffer.from("\x02$ref\0", "latin1");
const REFERENCE_DATABASE = Buffer.from("\x02$db\0", "latin1");

/** `bson` decodes a sub-document with `$ref` and `$id` to a DBRef; this converts it back to a plain document. */
function decode(bytes: Uint8Array, options: DeserializeOptions): Document {
  const document = deserialize(bytes, options);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.includes(REFERENCE)) return document;
  const hasDatabase = buffer.includes(REFERENCE_DATABASE);
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (value instanceof DBRef) {
      const { collection, oid, db, fields } = value;
      // The constructor splits "a.b" too.
      const $ref = db !== undefined && !hasDatabase ? `${db}.${collection}` : collection;
      return {
        $ref,
        $id: oid,
        ...(hasDatabase && db !== undefined && { $db: db }),
        ...(plain(fields) as Document),
      };
    }
    if (!isObject(value)) return value;
    for (const name of Object.keys(value)) setField(value, name, plain(value[name]));
    return value;
  };
  return plain(document) as Document;
}

export const encode = (document: Document): Uint8Array => serialize(document, { ignoreUndefined: true });

export const pack = (bytes: Uint8Array): PackedDocument =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

export const unpack = (packed: PackedDocument): Buffer => Buffer.from(packed, "latin1");

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
type PackedNames = ReadonlySet<string>;

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
