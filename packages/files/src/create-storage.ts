import { LocalStorage } from "./local-storage.ts";
import type { S3Options } from "./s3-storage.ts";
import type { FileStorage } from "./storage.ts";

/** The storage that is configured: a bucket, or else a folder. */
export async function createFileStorage(config: {
  s3: S3Options | undefined;
  filesDir: string;
}): Promise<FileStorage> {
  if (config.s3 === undefined) return new LocalStorage(config.filesDir);
  // A process that does not need it does not pay for its memory.
  const { S3Storage } = await import("./s3-storage.ts");
  return new S3Storage(config.s3);
}
