import { decodeExact, decodeExactRawDocuments, decodePlain } from "../values/codec.ts";
import type { PlainObject } from "../values/types.ts";

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
