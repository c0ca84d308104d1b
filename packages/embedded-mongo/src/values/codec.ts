import { deserialize, serialize, type DeserializeOptions, type Document } from "bson";

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

/** BSON bytes kept as a one-byte-per-character string: 16 bytes of overhead instead of about 300 for a Buffer. */
export type PackedDocument = string;

/** Decodes with every BSON type kept apart: Int32, Double and Long stay wrapped, so encoding gives the same bytes. */
export const decodeExact = (bytes: Uint8Array): Document => deserialize(bytes, EXACT);

/** Like {@link decodeExact}, but the elements of a field `documents` stay BSON bytes. */
export const decodeExactRawDocuments = (bytes: Uint8Array): Document =>
  deserialize(bytes, EXACT_RAW_DOCUMENTS);

/** Decodes numbers to JavaScript numbers (a Long beyond 2^53 stays a Long): the form mingo computes with. */
export const decodePlain = (bytes: Uint8Array): Document => deserialize(bytes, PLAIN);

export const encode = (document: Document): Uint8Array => serialize(document, { ignoreUndefined: true });

export const pack = (bytes: Uint8Array): PackedDocument =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

export const unpack = (packed: PackedDocument): Buffer => Buffer.from(packed, "latin1");
