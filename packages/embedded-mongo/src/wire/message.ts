import { decodeExact, decodeExactRawDocuments, decodePlain, encode } from "../values/codec.ts";
import type { PlainObject } from "../values/types.ts";
import { CursorBatch } from "../commands/cursor-store.ts";
import type { Reply } from "../commands/context.ts";

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
export const OpCode = { reply: 1, query: 2004, compressed: 2012, message: 2013 } as const;
export const HEADER_BYTES = 16;
/** Reported by `hello`. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const Flag = { checksumPresent: 1, moreToCome: 2 } as const;

export interface Request {
  readonly id: number;
  readonly command: PlainObject;
  /** The request is a legacy OP_QUERY, which is answered with OP_REPLY. */
  readonly legacy: boolean;
  /** No reply is sent (`w: 0`). */
  readonly wantsReply: boolean;
}

/** The message violates the protocol, and the connection must be closed. */
export class ProtocolError extends Error {}

/** @param bytes a complete message, including the header */
export function parseRequest(bytes: Buffer): Request {
  const id = bytes.readInt32LE(4);
  const opCode = bytes.readInt32LE(12);
  try {
    if (opCode === OpCode.message) return parseMessage(bytes, id);
    if (opCode === OpCode.query) return parseQuery(bytes, id);
  } catch (error) {
    throw new ProtocolError(`malformed message: ${(error as Error).message}`, { cause: error });
  }
  throw new ProtocolError(`operation ${opCode} is not supported`);
}

function documentAt(bytes: Buffer, at: number, end: number): Buffer {
  const length = bytes.readInt32LE(at);
  if (length < 5 || at + length > end) throw new RangeError("document beyond the end");
  return bytes.subarray(at, at + length);
}

const endOfString = (bytes: Buffer, at: number): number => {
  const end = bytes.indexOf(0, at);
  if (end === -1) throw new RangeError("unterminated string");
  return end;
};

const INSERT = Buffer.from("insert\0");

/** The documents of an insert are not decoded, because they are stored unchanged. */
const decodeBody = (body: Buffer): PlainObject =>
  body.compare(INSERT, 0, INSERT.length, 5, 5 + INSERT.length) === 0
    ? decodeExactRawDocuments(body)
    : decodeExact(body);

function parseMessage(bytes: Buffer, id: number): Request {
  const flags = bytes.readUInt32LE(HEADER_BYTES);
  const end = bytes.length - (flags & Flag.checksumPresent ? 4 : 0);
  let body: PlainObject | undefined;
  const sequences: PlainObject = {};
  let at = HEADER_BYTES + 4;
  while (at < end) {
    const kind = bytes[at++];
    if (kind === 0) {
      const document = documentAt(bytes, at, end);
      body = decodeBody(document);
      at += document.length;
    } else if (kind === 1) {
      const size = bytes.readInt32LE(at);
      if (size < 5 || at + size > end) throw new RangeError("section beyond the end");
      const nameEnd = endOfString(bytes, at + 4);
      const name = bytes.toString("latin1", at + 4, nameEnd);
      sequences[name] = readSequence(bytes, nameEnd + 1, at + size, name === "documents");
      at += size;
    } else {
      throw new RangeError(`unknown section kind ${kind}`);
    }
  }
  if (!body) throw new RangeError("no body");
  return {
    id,
    command: Object.assign(body, sequences),
    legacy: false,
    wantsReply: (flags & Flag.moreToCome) === 0,
  };
}

function readSequence(bytes: Buffer, start: number, end: number, raw: boolean): unknown[] {
  const documents: unknown[] = [];
  let at = start;
  while (at < end) {
    const document = documentAt(bytes, at, end);
    documents.push(raw ? document : decodeExact(document));
    at += document.length;
  }
  return documents;
}

/** The legacy handshake: a command on `db.$cmd`. */
function parseQuery(bytes: Buffer, id: number): Request {
  const nameStart = HEADER_BYTES + 4;
  const nameEnd = endOfString(bytes, nameStart);
  const query: PlainObject = decodePlain(documentAt(bytes, nameEnd + 9, bytes.length));
  const inner = (query["$query"] as PlainObject | undefined) ?? query;
  const db = bytes.toString("latin1", nameStart, nameEnd).split(".")[0];
  return { id, command: { ...inner, $db: db }, legacy: true, wantsReply: true };
}

/** flag bits and the kind of the section */
const MESSAGE_PREFIX_BYTES = HEADER_BYTES + 5;
/** flags, cursor id, starting from, number returned */
const REPLY_PREFIX_BYTES = HEADER_BYTES + 20;
const AWAIT_CAPABLE = 8;

const BsonType = { double: 1, string: 2, document: 3, array: 4, long: 18 } as const;

/** The type and name of a document in an array. */
const nameOf = (index: number): string => `${String.fromCharCode(BsonType.document)}${index}\0`;
const names: string[] = [];
const elementName = (index: number): string => (names[index] ??= nameOf(index));
const MAX_CACHED_NAMES = 10_000;

/** Writes BSON to a buffer of sufficient size. */
class Writer {
  readonly buffer: Buffer;
  at: number;

  constructor(buffer: Buffer, at: number) {
    this.buffer = buffer;
    this.at = at;
  }

  /** Opens a document or array. @returns its start, for {@link close} */
  open(): number {
    this.at += 4;
    return this.at - 4;
  }

  close(start: number): void {
    this.buffer[this.at++] = 0;
    this.buffer.writeInt32LE(this.at - start, start);
  }

  name(type: number, name: string): void {
    this.buffer[this.at++] = type;
    this.at += this.buffer.write(`${name}\0`, this.at, "latin1");
  }
}

function cursorBytes(batch: CursorBatch): number {
  let bytes = 120 + Buffer.byteLength(batch.namespace);
  for (let i = 0; i < batch.documents.length; i++) bytes += batch.documents[i]!.length + 2 + String(i).length;
  return bytes;
}

/** `{cursor: {id, ns, firstBatch: [...]}, ok: 1}`: stored documents are copied unchanged. */
function writeCursor(writer: Writer, { id, namespace, field, documents }: CursorBatch): void {
  const { buffer } = writer;
  const root = writer.open();
  writer.name(BsonType.document, "cursor");
  const cursor = writer.open();
  writer.name(BsonType.long, "id");
  writer.at = buffer.writeBigInt64LE(BigInt(id), writer.at);
  writer.name(BsonType.string, "ns");
  const length = buffer.write(namespace, writer.at + 4, "utf8");
  buffer.writeInt32LE(length + 1, writer.at);
  writer.at += 4 + length;
  buffer[writer.at++] = 0;
  writer.name(BsonType.array, field);
  const array = writer.open();
  // One write is faster than one for each document.
  let elements = "";
  for (let i = 0; i < documents.length; i++)
    elements += (i < MAX_CACHED_NAMES ? elementName(i) : nameOf(i)) + documents[i]!;
  writer.at += buffer.write(elements, writer.at, "latin1");
  writer.close(array);
  writer.close(cursor);
  writer.name(BsonType.double, "ok");
  writer.at = buffer.writeDoubleLE(1, writer.at);
  writer.close(root);
}

let nextReplyId = 1;

function writeHeader(buffer: Buffer, length: number, request: Request): void {
  nextReplyId = (nextReplyId + 1) & 0x7fffffff;
  buffer.writeInt32LE(length, 0);
  buffer.writeInt32LE(nextReplyId, 4);
  buffer.writeInt32LE(request.id, 8);
  buffer.writeInt32LE(request.legacy ? OpCode.reply : OpCode.message, 12);
  if (request.legacy) {
    buffer.writeInt32LE(AWAIT_CAPABLE, 16);
    buffer.writeBigInt64LE(0n, 20);
    buffer.writeInt32LE(0, 28);
    buffer.writeInt32LE(1, 32);
  } else {
    buffer.writeInt32LE(0, 16);
    buffer[20] = 0;
  }
}

/** The complete reply message. */
export function encodeReply(request: Request, reply: Reply): Buffer {
  const prefix = request.legacy ? REPLY_PREFIX_BYTES : MESSAGE_PREFIX_BYTES;
  if (reply instanceof CursorBatch) {
    const writer = new Writer(Buffer.allocUnsafe(prefix + cursorBytes(reply)), prefix);
    writeCursor(writer, reply);
    writeHeader(writer.buffer, writer.at, request);
    return writer.buffer.subarray(0, writer.at);
  }
  const body = encode(reply);
  const buffer = Buffer.allocUnsafe(prefix + body.length);
  buffer.set(body, prefix);
  writeHeader(buffer, buffer.length, request);
  return buffer;
}
