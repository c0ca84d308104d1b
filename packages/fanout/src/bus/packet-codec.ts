import { Decoder, Encoder, type Packet, PacketType } from "socket.io-parser";

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
