import { crc32 } from "node:zlib";

/**
 * A file is a header and frames. One frame holds all operations of one flush.
 *   header: "FANFARE1" | u64 sequence number of the file
 *   frame:  u32 payload length | u32 CRC-32 of what follows | u64 synced | payload
 * `synced` is the length up to which the file was known to be on disk when the frame was written: a broken frame
 * before that point is damage, one after it is an unfinished write.
 * All integers are little-endian.
 */
export const FILE_HEADER_BYTES = 16;
export const FRAME_HEADER_BYTES = 16;
const MAGIC = Buffer.from("FANFARE1", "latin1");

/** No frame is longer: a document is at most 16 MiB and a flush closes a frame at 8 MiB. */
const MAX_FRAME_PAYLOAD_BYTES = 32 * 1024 * 1024;

export function encodeFileHeader(sequence: number): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  MAGIC.copy(header);
  header.writeBigUInt64LE(BigInt(sequence), 8);
  return header;
}

export const isFileHeader = (bytes: Buffer, sequence: number): boolean =>
  bytes.length >= FILE_HEADER_BYTES &&
  bytes.subarray(0, FILE_HEADER_BYTES).equals(encodeFileHeader(sequence));

export function encodeFrame(operations: readonly Buffer[], synced: number): Buffer {
  const length = operations.reduce((sum, operation) => sum + operation.length, 0);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  frame.writeUInt32LE(length, 0);
  frame.writeBigUInt64LE(BigInt(synced), 8);
  let at = FRAME_HEADER_BYTES;
  for (const operation of operations) at += operation.copy(frame, at);
  frame.writeUInt32LE(crc32(frame.subarray(8)), 4);
  return frame;
}

export interface Frame {
  readonly payload: Buffer;
  readonly synced: number;
  /** Whole length in the file, in bytes. */
  readonly bytes: number;
}

/** The frame at a position, or why there is none. */
export function readFrame(file: Buffer, at: number): Frame | string {
  if (file.length - at < FRAME_HEADER_BYTES) return "incomplete header";
  const length = file.readUInt32LE(at);
  if (length === 0 || length > MAX_FRAME_PAYLOAD_BYTES) return "impossible length";
  const end = at + FRAME_HEADER_BYTES + length;
  if (end > file.length) return "incomplete record";
  if (crc32(file.subarray(at + 8, end)) !== file.readUInt32LE(at + 4)) return "wrong checksum";
  return {
    payload: file.subarray(at + FRAME_HEADER_BYTES, end),
    synced: Number(file.readBigUInt64LE(at + 8)),
    bytes: end - at,
  };
}

/**
 * Looks for an intact frame behind a broken one that proves the broken one had been on disk whole.
 * @param rest the file from the broken frame on
 * @param brokenAt position of the broken frame in the file
 */
export function findProofOfDamage(rest: Buffer, brokenAt: number): boolean {
  for (let at = 1; at <= rest.length - FRAME_HEADER_BYTES; at++) {
    // `synced` lies behind the broken frame and before this one: cheap to test before the checksum.
    const synced = rest.readUInt32LE(at + 8) + rest.readUInt32LE(at + 12) * 2 ** 32;
    if (synced <= brokenAt || synced > brokenAt + at) continue;
    if (typeof readFrame(rest, at) !== "string") return true;
  }
  return false;
}
