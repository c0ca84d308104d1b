import { CliError } from "../command.ts";

/**
 * A backup is one gzip stream of frames: a letter, the length of the payload (uint32, little endian), and the payload.
 *
 * - H: header (JSON)
 * - C: name of the collection of the following documents
 * - D: a document (BSON)
 * - F: path and length of a file (JSON)
 * - B: a part of that file
 * - E: counts, and the SHA-256 of everything before (JSON)
 */
export type FrameKind = "H" | "C" | "D" | "F" | "B" | "E";

export interface Frame {
  kind: FrameKind;
  payload: Buffer;
}

export const FORMAT = "fanfare-backup";
export const FORMAT_VERSION = 1;
const HEAD_BYTES = 5;
/** The maximum size of a MongoDB document plus some margin. */
const MAX_PAYLOAD_BYTES = 17 * 1024 * 1024;
const KINDS: ReadonlySet<string> = new Set<FrameKind>(["H", "C", "D", "F", "B", "E"]);

export class BackupDamagedError extends CliError {
  constructor(file: string, reason: string) {
    super(`${file} is not a complete backup: ${reason}. Nothing was changed.`);
  }
}

export function encodeHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.write(kind, 0, "latin1");
  head.writeUInt32LE(length, 1);
  return head;
}

export const encodeFrame = (kind: FrameKind, payload: Uint8Array): Buffer =>
  Buffer.concat([encodeHead(kind, payload.length), payload]);

export const encodeJson = (kind: FrameKind, value: unknown): Buffer =>
  encodeFrame(kind, Buffer.from(JSON.stringify(value)));

/** @throws {Error} when the stream is invalid or truncated */
export async function* decodeFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let size = 0;
  let needed = HEAD_BYTES;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    const bytes = Buffer.concat(parts);
    let at = 0;
    needed = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      const kind = bytes.toString("latin1", at, at + 1);
      const length = bytes.readUInt32LE(at + 1);
      if (!KINDS.has(kind) || length > MAX_PAYLOAD_BYTES) throw new Error("it is not a Fanfare backup");
      needed = HEAD_BYTES + length;
      if (bytes.length - at < needed) break;
      yield { kind: kind as FrameKind, payload: bytes.subarray(at + HEAD_BYTES, at + needed) };
      at += needed;
      needed = HEAD_BYTES;
    }
    parts = at === bytes.length ? [] : [bytes.subarray(at)];
    size = bytes.length - at;
  }
  if (size > 0) throw new Error("it is truncated");
}
