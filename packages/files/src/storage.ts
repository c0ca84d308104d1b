import type { Readable } from "node:stream";

/** The bytes from `start` to `end`, inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredBytes {
  stream: Readable;
  /** Of the whole object in bytes, even if only a range was requested. */
  size: number;
}

/** Stores the bytes of files. Objects are complete or absent, and immutable. */
export interface FileStorage {
  /**
   * Stores an object. If it rejects, no part of the object remains.
   * @param size the length of the stream in bytes
   * @throws {Error} also if the stream is shorter or longer than `size`
   */
  put(key: string, stream: Readable, size: number): Promise<void>;
  /** The size in bytes, or null if there is no such object. */
  size(key: string): Promise<number | null>;
  /** null if there is no such object. Callers must read the stream to its end or destroy it. */
  read(key: string, range?: ByteRange): Promise<StoredBytes | null>;
  /** Deletes an object; does nothing if there is none. */
  delete(key: string): Promise<void>;
  /** @throws {StorageUnusableError} if the storage can't be used */
  check(): Promise<void>;
  close(): void;
}

/** Its message is one line with the cause and the setting to check. */
export class StorageUnusableError extends Error {
  override readonly name = "StorageUnusableError";
}
