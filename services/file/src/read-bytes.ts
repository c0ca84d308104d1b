import { buffer } from "node:stream/consumers";
import type { ByteRange, FileStorage } from "@fanfare/files";

/** An object, or a part of one, in memory; null where there is none. For what is known to be small enough. */
export async function readBytes(
  storage: FileStorage,
  key: string,
  range?: ByteRange,
): Promise<Buffer<ArrayBuffer> | null> {
  const found = await storage.read(key, range);
  return found === null ? null : buffer(found.stream);
}
