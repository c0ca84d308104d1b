import { Decoder, Encoder, type Packet, PacketType } from "socket.io-parser";
import type { EncodedPacket } from "../connection.ts";

/**
 * One message of the bus:
 *
 *     version 1 byte | kind 1 byte | publisher 8 bytes | number of the publication 4 bytes | when it was published 8 bytes |
 *     length of the header 4 bytes
 *     header: JSON of Header, nothing where the publication is to the subject's room and nothing else is to be said
 *     body: by kind
 */
export const Kind = {
  /** Body: the finished WebSocket frame of one event. */
  frame: 1,
  /** Body: an event with binary parts, see joinParts. */
  packet: 2,
  join: 3,
  leave: 4,
  disconnect: 5,
  resync: 6,
  /** Body: a message of Socket.IO's ClusterAdapter, see joinParts. */
  cluster: 7,
} as const;

export type Kind = (typeof Kind)[keyof typeof Kind];

export interface Header {
  /** Rooms addressed; none are all sockets of the namespace. */
  readonly rooms: readonly string[];
  readonly except?: readonly string[];
  readonly volatile?: boolean;
  readonly compress?: boolean;
  /** Rooms to join or to leave. */
  readonly change?: readonly string[];
  /** Whether to close the connection with the socket. */
  readonly close?: boolean;
  /** Where the publication is traced: what `traceOf` said. */
  readonly trace?: string;
  /** Which piece of how many this is: see pieces.ts. */
  readonly piece?: readonly [index: number, count: number];
}

export interface Message {
  readonly kind: number;
  readonly publisher: string;
  /** The same in every copy of one publication, different from the one before. */
  readonly sequence: number;
  /** When it was published by the clock of the publisher, in milliseconds since 1970. */
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

/** @param message its publisher is 8 characters of latin1 */
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

/** @throws Error for what is no message of this version. */
export function decodeMessage(data: Uint8Array): Message {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < FIXED_BYTES || bytes[0] !== VERSION) {
    throw new Error(
      "A message on the bus is not of this version of the fan-out: all processes must run the same.",
    );
  }
  const headBytes = bytes.readUInt32LE(HEADER_LENGTH_AT);
  const bodyAt = FIXED_BYTES + headBytes;
  if (bodyAt > bytes.length) throw new Error("A message on the bus is cut short.");
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
 * Socket.IO packets as bytes, with whatever binary parts they have. The same encoding as to clients, so that a value
 * arrives through the bus as it would have without: a Date as text, an object as its `toJSON` says.
 *
 *     per part: length 4 bytes | bytes; the first part is text
 */
export interface EventPacket {
  type?: number;
  nsp?: string;
  data: readonly unknown[];
}

const encoder = new Encoder();

/** The text of an event and its binary attachments. */
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

/** @throws Error for what {@link joinParts} has not made. */
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

/** @throws Error for what is no event. */
export function decodeEvent(text: string, attachments: readonly Buffer[] = []): EventPacket {
  const decoder = new Decoder({ maxAttachments: Infinity });
  let packet: Packet | undefined;
  decoder.on("decoded", (decoded: Packet) => {
    packet = decoded;
  });
  decoder.add(text);
  for (const attachment of attachments) decoder.add(attachment);
  if (packet === undefined) throw new Error("A packet on the bus lacks some of its binary parts.");
  return { type: PacketType.EVENT, nsp: packet.nsp, data: packet.data as unknown[] };
}

/** An event as it came over the bus: the frame goes out as it is, the rest is only looked at where something needs it. */
export class WirePacket implements EncodedPacket {
  readonly frame: Buffer;
  readonly trace: string | undefined;
  #text: string | null = null;
  #args: readonly unknown[] | null;

  /**
   * @param frame an unmasked WebSocket text frame of one Engine.IO message
   * @param trace where the publication is traced
   * @param args event name and arguments where they are known
   */
  constructor(frame: Buffer, trace: string | undefined, args: readonly unknown[] | null = null) {
    this.frame = frame;
    this.trace = trace;
    this.#args = args;
  }

  get text(): string {
    const short = this.frame[1]!;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    // One more for Engine.IO's packet type.
    return (this.#text ??= this.frame.toString("utf8", header + 1));
  }

  get args(): readonly unknown[] {
    return (this.#args ??= decodeEvent(this.text).data);
  }
}
