import fs from "node:fs";
import {
  FILE_HEADER_BYTES,
  FRAME_HEADER_BYTES,
  findProofOfDamage,
  type Frame,
  isFileHeader,
  readFrame,
} from "./frame.ts";

const CHUNK_BYTES = 4 * 1024 * 1024;

/** How far behind a broken frame intact ones are looked for. */
const MAX_SEARCH_BYTES = 1024 * 1024 * 1024;

/** Reads a journal or snapshot from beginning to end, a chunk at a time. */
export class FrameReader {
  readonly size: number;
  readonly #fd: number;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;

  constructor(file: string) {
    this.#fd = fs.openSync(file, "r");
    this.size = fs.fstatSync(this.#fd).size;
  }

  hasHeader(sequence: number): boolean {
    return isFileHeader(this.#read(0, FILE_HEADER_BYTES), sequence);
  }

  /** The frame at a position, or why there is none. Its payload is valid until the next call. */
  frame(at: number): Frame | string {
    const header = this.#read(at, FRAME_HEADER_BYTES);
    const wanted = header.length < FRAME_HEADER_BYTES ? 0 : header.readUInt32LE(0);
    const available = Math.min(FRAME_HEADER_BYTES + wanted, this.size - at);
    return readFrame(this.#read(at, available), 0);
  }

  /** Whether the broken frame at a position had been on disk whole, so that it is damage and no unfinished write. */
  isDamage(at: number): boolean {
    return findProofOfDamage(this.#load(at, Math.min(this.size - at, MAX_SEARCH_BYTES)), at);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #read(at: number, length: number): Buffer {
    const end = Math.min(at + length, this.size);
    if (at < this.#windowStart || end > this.#windowStart + this.#window.length) {
      this.#window = this.#load(at, Math.min(Math.max(length, CHUNK_BYTES), this.size - at));
      this.#windowStart = at;
    }
    return this.#window.subarray(at - this.#windowStart, end - this.#windowStart);
  }

  #load(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const read = fs.readSync(this.#fd, bytes, filled, length - filled, at + filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  }
}
