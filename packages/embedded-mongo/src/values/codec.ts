import { DBRef, deserialize, serialize, type DeserializeOptions, type Document } from "bson";
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
