import { LocalStorage } from "./local-storage.ts";
import type { S3Options } from "./s3-storage.ts";
import type { FileStorage } from "./storage.ts";

export {
  FileUrls,
  INLINE_TYPES,
  picturePath,
  type Variant,
  VARIANTS,
  storageKey,
  pictureKey,
} from "./file-urls.ts";
export type { ByteRange, FileStorage, StoredBytes } from "./storage.ts";

/** Creates the configured storage: an S3 bucket, otherwise a folder. */
export async function createFileStorage(config: {
  s3: S3Options | undefined;
  filesDir: string;
}): Promise<FileStorage> {
  if (config.s3 === undefined) return new LocalStorage(config.filesDir);
  // Loaded on demand, because the SDK needs a lot of memory.
  const { S3Storage } = await import("./s3-storage.ts");
  return new S3Storage(config.s3);
}
