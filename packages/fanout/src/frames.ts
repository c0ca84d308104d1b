/**
 * WebSocket frames (RFC 6455 section 5) for the adapter and the load tester: parsing of server frames, and encoding of server and
 * client frames.
 */

/** Section 5.2. */
export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Larger messages are treated as an error. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The server sent an invalid WebSocket stream. */
export class FrameError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The server broke the WebSocket protocol: ${code}`);
    this.code = code;
  }
}

/** Called for each complete message or control frame. The bytes are valid only during the call. */
export type MessageSink = (opcode: number, bytes: Buffer, start: number, end: number) => void;

/**
 * Parses the messages of a WebSocket stream from a server (RFC 6455 section 5), regardless of chunk boundaries. Only frames that span
 * several chunks are copied.
 */
export class FrameParser {
  #pending: Buffer | undefined;
  #pendingBytes = 0;
  #fragments: Buffer[] | undefined;
  #fragmentsOpcode = 0;
  #fragmentsBytes = 0;

  /** @throws {FrameError} if the stream is invalid; the connection must then be closed. */
  push(chunk: Buffer, start: number, end: number, sink: MessageSink): void {
    let position = start;
    if (this.#pending) position = this.#completePending(chunk, position, end, sink);
    while (position < end) {
      const headerBytes = headerLength(chunk, position, end);
      const frameBytes = headerBytes === 0 ? 0 : headerBytes + payloadLength(chunk, position);
      if (frameBytes === 0 || position + frameBytes > end) {
        this.#keep(chunk, position, end, frameBytes);
        return;
      }
      this.#frame(chunk, position, position + headerBytes, position + frameBytes, sink);
      position += frameBytes;
    }
  }

  #keep(chunk: Buffer, start: number, end: number, frameBytes: number): void {
    this.#pending = Buffer.allocUnsafeSlow(Math.max(frameBytes, MAX_HEADER_BYTES));
    this.#pendingBytes = chunk.copy(this.#pending, 0, start, end);
  }

  /** Completes a partial frame with bytes of the chunk: first its header, then its payload. */
  #completePending(chunk: Buffer, start: number, end: number, sink: MessageSink): number {
    let position = start;
    for (;;) {
      const pending = this.#pending!;
      const headerBytes = headerLength(pending, 0, this.#pendingBytes);
      const frameBytes = headerBytes === 0 ? 0 : headerBytes + payloadLength(pending, 0);
      if (frameBytes !== 0 && this.#pendingBytes === frameBytes) {
        this.#pending = undefined;
        this.#frame(pending, 0, headerBytes, frameBytes, sink);
        return position;
      }
      if (position === end) return position;
      if (frameBytes > pending.length) {
        this.#pending = Buffer.allocUnsafeSlow(frameBytes);
        pending.copy(this.#pending, 0, 0, this.#pendingBytes);
      }
      const wanted = frameBytes === 0 ? 1 : frameBytes - this.#pendingBytes;
      const taken = chunk.copy(
        this.#pending!,
        this.#pendingBytes,
        position,
        Math.min(end, position + wanted),
      );
      this.#pendingBytes += taken;
      position += taken;
    }
  }

  #frame(bytes: Buffer, header: number, start: number, end: number, sink: MessageSink): void {
    const first = bytes[header]!;
    const opcode = first & 0x0f;
    const final = (first & 0x80) !== 0;
    if ((first & 0x70) !== 0) throw new FrameError("RESERVED_BITS");
    if (opcode >= Opcode.close) {
      if (!final || end - start > 125) throw new FrameError("BAD_CONTROL_FRAME");
      sink(opcode, bytes, start, end);
    } else if (opcode === Opcode.continuation) {
      this.#continue(bytes, start, end, final, sink);
    } else if (opcode > Opcode.binary) {
      throw new FrameError("UNKNOWN_OPCODE");
    } else if (this.#fragments) {
      throw new FrameError("MESSAGE_INSIDE_FRAGMENTS");
    } else if (final) {
      sink(opcode, bytes, start, end);
    } else {
      this.#fragments = [Buffer.copyBytesFrom(bytes, start, end - start)];
      this.#fragmentsOpcode = opcode;
      this.#fragmentsBytes = end - start;
    }
  }

  #continue(bytes: Buffer, start: number, end: number, final: boolean, sink: MessageSink): void {
    if (!this.#fragments) throw new FrameError("CONTINUATION_OF_NOTHING");
    this.#fragmentsBytes += end - start;
    if (this.#fragmentsBytes > MAX_MESSAGE_BYTES) throw new FrameError("MESSAGE_TOO_LARGE");
    this.#fragments.push(Buffer.copyBytesFrom(bytes, start, end - start));
    if (!final) return;
    const whole = Buffer.concat(this.#fragments);
    this.#fragments = undefined;
    sink(this.#fragmentsOpcode, whole, 0, whole.length);
  }
}

const MAX_HEADER_BYTES = 10;

/** The header length, or 0 if too few bytes have arrived to determine it. */
function headerLength(bytes: Buffer, start: number, end: number): number {
  if (end - start < 2) return 0;
  const second = bytes[start + 1]!;
  if ((second & 0x80) !== 0) throw new FrameError("MASKED_BY_SERVER");
  const short = second & 0x7f;
  const length = short < 126 ? 2 : short === 126 ? 4 : MAX_HEADER_BYTES;
  return end - start < length ? 0 : length;
}

function payloadLength(bytes: Buffer, start: number): number {
  const short = bytes[start + 1]! & 0x7f;
  if (short < 126) return short;
  const length = short === 126 ? bytes.readUInt16BE(start + 2) : Number(bytes.readBigUInt64BE(start + 2));
  if (length > MAX_MESSAGE_BYTES) throw new FrameError("MESSAGE_TOO_LARGE");
  return length;
}

const FIN_TEXT = 0x81;

/**
 * Encodes an unmasked WebSocket text frame as one buffer, for a single write.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = FIN_TEXT;
  if (header === 2) {
    frame[1] = length;
  } else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, header, "utf8");
  return frame;
}

/** Encodes a masked client frame (section 5.3) with up to 65,535 bytes of payload. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  if (payload.length > 0xffff)
    throw new RangeError("the payload of a client frame is limited to 65,535 bytes");
  const headerBytes = payload.length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(headerBytes + 4 + payload.length);
  frame[0] = 0x80 | opcode;
  if (headerBytes === 2) {
    frame[1] = 0x80 | payload.length;
  } else {
    frame[1] = 0x80 | 126;
    frame.writeUInt16BE(payload.length, 2);
  }
  frame.writeUInt32BE(Math.floor(Math.random() * 0x1_0000_0000), headerBytes);
  const start = headerBytes + 4;
  for (let i = 0; i < payload.length; i++) frame[start + i] = payload[i]! ^ frame[headerBytes + (i & 3)]!;
  return frame;
}
