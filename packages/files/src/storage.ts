import type { Readable } from "node:stream";

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredBytes {
  stream: Readable;
  /** Of the whole object, in bytes, whatever part was asked for. */
  size: number;
}

/** Where the bytes of files lie. An object is there as a whole or not at all, and never changes. */
export interface FileStorage {
  /**
   * Stores an object. When it rejects, nothing is left behind.
   * @param size of the stream, in bytes
   * @throws {Error} also when the stream ends early or gives more than it should
   */
  put(key: string, stream: Readable, size: number): Promise<void>;
  /** The size in bytes, or null where there is no such object. */
  size(key: string): Promise<number | null>;
  /** null if there is no such object. Callers must read the stream to its end or destroy it. */
  read(key: string, range?: ByteRange): Promise<StoredBytes | null>;
  /** Repeatable: what is not there is deleted. */
  delete(key: string): Promise<void>;
  /** @throws {StorageUnusableError} when nothing can be stored there */
  check(): Promise<void>;
  close(): void;
}

/** The message says what is wrong, and which setting to look at, in one line. */
export class StorageUnusableError extends Error {
  override readonly name = "StorageUnusableError";
}
