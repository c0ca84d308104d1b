/** One masked frame from a client to the server (RFC 6455 section 5.3). Payloads up to 65,535 bytes. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  if (payload.length > 0xffff) throw new RangeError("a client frame carries at most 65,535 bytes");
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
