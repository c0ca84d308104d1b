import { CursorBatch } from "../commands/cursor-store.ts";
import type { Reply } from "../commands/context.ts";
import { encode } from "../values/codec.ts";
import { HEADER_BYTES, OpCode, type Request } from "./message.ts";

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
