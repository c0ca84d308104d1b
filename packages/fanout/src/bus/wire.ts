import { Decoder, Encoder, type Packet, PacketType } from "socket.io-parser";
import type { EncodedPacket } from "../connection.ts";

/**
 * Format of a bus message:
 *
 *     version 1 byte | kind 1 byte | publisher 8 bytes | sequence 4 bytes | time of publication 8 bytes | header length 4 bytes
 *     header: JSON of Header; empty for a publication to the subject's room without options
 *     body: depends on the kind
 */
export const Kind = {
  /** Body: the complete WebSocket frame of an event. */
  frame: 1,
  /** Body: an event with binary parts, see joinParts. */
  packet: 2,
  join: 3,
  leave: 4,
  disconnect: 5,
  resync: 6,
} as const;

export type Kind = (typeof Kind)[keyof typeof Kind];

export interface Header {
  /** The target rooms; empty: all sockets of the namespace. */
  readonly rooms: readonly string[];
  readonly except?: readonly string[];
  readonly volatile?: boolean;
  readonly compress?: boolean;
  /** Rooms to join or leave. */
  readonly change?: readonly string[];
  /** Whether to close the underlying connection too. */
  readonly close?: boolean;
  /** The result of `traceOf`, if the publication is traced. */
  readonly trace?: string;
}

export interface Message {
  readonly kind: number;
  readonly publisher: string;
  /** The same in all copies of a publication, and different from the previous one. */
  readonly sequence: number;
  /** Time of publication on the publisher's clock, in milliseconds since the epoch. */
  readonly publishedAtMs: number;
  readonly header: Header | null;
  readonly body: Buffer;
}

const VERSION = 2;
const PUBLISHER_BYTES = 8;
const SEQUENCE_AT = 2 + PUBLISHER_BYTES;
const PUBLISHED_AT = SEQUENCE_AT + 4;
const HEADER_LENGTH_AT = PUBLISHED_AT + 8;
const FIXED_BYTES = HEADER_LENGTH_AT + 4;

type Outgoing = Omit<Message, "body"> & { readonly body: Uint8Array };

/** @param message its `publisher` must be 8 latin1 characters */
export function encodeMessage({ kind, publisher, sequence, publishedAtMs, header, body }: Outgoing): Buffer {
  const head = header === null ? "" : JSON.stringify(header);
  const headBytes = Buffer.byteLength(head);
  const message = Buffer.allocUnsafe(FIXED_BYTES + headBytes + body.length);
  message[0] = VERSION;
  message[1] = kind;
  message.write(publisher, 2, PUBLISHER_BYTES, "latin1");
  message.writeUInt32LE(sequence, SEQUENCE_AT);
  message.writeDoubleLE(publishedAtMs, PUBLISHED_AT);
  message.writeUInt32LE(headBytes, HEADER_LENGTH_AT);
  if (headBytes > 0) message.write(head, FIXED_BYTES, "utf8");
  message.set(body, FIXED_BYTES + headBytes);
  return message;
}

/** @throws Error if it is not a message of this version. */
export function decodeMessage(data: Uint8Array): Message {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < FIXED_BYTES || bytes[0] !== VERSION) {
    throw new Error(
      "A bus message has another version of the fan-out protocol: all processes must run the same version.",
    );
  }
  const headBytes = bytes.readUInt32LE(HEADER_LENGTH_AT);
  const bodyAt = FIXED_BYTES + headBytes;
  if (bodyAt > bytes.length) throw new Error("A bus message is truncated.");
  return {
    kind: bytes[1]!,
    publisher: bytes.toString("latin1", 2, 2 + PUBLISHER_BYTES),
    sequence: bytes.readUInt32LE(SEQUENCE_AT),
    publishedAtMs: bytes.readDoubleLE(PUBLISHED_AT),
    header: headBytes === 0 ? null : (JSON.parse(bytes.toString("utf8", FIXED_BYTES, bodyAt)) as Header),
    body: bytes.subarray(bodyAt),
  };
}

/**
 * Encodes Socket.IO packets with their binary parts. Values are encoded as for clients, so that they arrive the same with and without
 * a bus: a Date as text, an object as its `toJSON`.
 *
 *     per part: length 4 bytes | bytes; the first part is text
 */
export interface EventPacket {
  type?: number;
  nsp?: string;
  data: readonly unknown[];
}

const encoder = new Encoder();

/** Encodes an event as text and binary attachments. */
export function encodeEvent(nsp: string, data: readonly unknown[]): [string, ...Uint8Array[]] {
  return encoder.encode({ type: PacketType.EVENT, nsp, data }) as [string, ...Uint8Array[]];
}

export function joinParts([text, ...attachments]: [string, ...Uint8Array[]]): Buffer {
  const parts = [Buffer.from(text), ...attachments];
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + 4 + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.writeUInt32LE(part.byteLength, at);
    bytes.set(asBytes(part), at + 4);
    at += 4 + part.byteLength;
  }
  return bytes;
}

const asBytes = (part: Uint8Array | ArrayBuffer): Uint8Array =>
  part instanceof Uint8Array ? part : new Uint8Array(part);

/** @throws Error if it is not a result of {@link joinParts}. */
export function decodeParts(bytes: Buffer): EventPacket {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at);
    parts.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [text, ...attachments] = parts;
  return decodeEvent(text?.toString() ?? "", attachments);
}

/** @throws Error if it is not an event. */
export function decodeEvent(text: string, attachments: readonly Buffer[] = []): EventPacket {
  const decoder = new Decoder({ maxAttachments: Infinity });
  let packet: Packet | undefined;
  decoder.on("decoded", (decoded: Packet) => {
    packet = decoded;
  });
  decoder.add(text);
  for (const attachment of attachments) decoder.add(attachment);
  if (packet === undefined) throw new Error("A bus packet lacks some of its binary parts.");
  return { type: PacketType.EVENT, nsp: packet.nsp, data: packet.data as unknown[] };
}

/** An event received from the bus. The frame is sent unchanged; other parts are decoded only if needed. */
export class WirePacket implements EncodedPacket {
  readonly frame: Buffer;
  readonly trace: string | undefined;
  #text: string | null = null;
  #args: readonly unknown[] | null;

  /**
   * @param frame an unmasked WebSocket text frame of one Engine.IO message
   * @param trace present if the publication is traced
   * @param args event name and arguments, if known
   */
  constructor(frame: Buffer, trace: string | undefined, args: readonly unknown[] | null = null) {
    this.frame = frame;
    this.trace = trace;
    this.#args = args;
  }

  get text(): string {
    const short = this.frame[1]!;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    // Skips Engine.IO's packet type too.
    return (this.#text ??= this.frame.toString("utf8", header + 1));
  }

  get args(): readonly unknown[] {
    return (this.#args ??= decodeEvent(this.text).data);
  }
}

/** Maximum size of all incomplete messages; the oldest are discarded first. */
const MAX_BYTES = 256 * 1_048_576;
const MAX_INCOMPLETE = 1000;

export interface Piece {
  /** Unique among incomplete messages. */
  readonly id: string;
  readonly index: number;
  readonly count: number;
}

/** Splits a message that is larger than the bus allows. */
export function* cut(id: string, message: Uint8Array, maxBytes: number): Generator<[Piece, Uint8Array]> {
  const count = Math.max(1, Math.ceil(message.length / maxBytes));
  for (let index = 0; index < count; index++) {
    yield [{ id, index, count }, message.subarray(index * maxBytes, (index + 1) * maxBytes)];
  }
}

interface Incomplete {
  readonly bodies: Buffer[];
  bytes: number;
}

/** Reassembles messages from pieces that arrive in order, possibly interleaved with those of other messages. */
export class Assembly {
  readonly #incomplete = new Map<string, Incomplete>();
  #bytes = 0;

  /** @returns the message once it is complete, otherwise null. Discards a message if a piece is missing. */
  add({ id, index, count }: Piece, body: Uint8Array): Buffer | null {
    const existing = this.#incomplete.get(id);
    this.#discard(id);
    const message = index === 0 ? { bodies: [], bytes: 0 } : existing;
    if (message?.bodies.length !== index) return null;
    // Copied, because the connection reuses the buffer.
    message.bodies.push(Buffer.from(body));
    message.bytes += body.length;
    if (message.bodies.length === count) return Buffer.concat(message.bodies);
    this.#incomplete.set(id, message);
    this.#bytes += message.bytes;
    for (const oldest of this.#incomplete.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#incomplete.size <= MAX_INCOMPLETE) break;
      this.#discard(oldest);
    }
    return null;
  }

  clear(): void {
    this.#incomplete.clear();
    this.#bytes = 0;
  }

  /** The number of incomplete messages. */
  get size(): number {
    return this.#incomplete.size;
  }

  #discard(id: string): void {
    this.#bytes -= this.#incomplete.get(id)?.bytes ?? 0;
    this.#incomplete.delete(id);
  }
}
