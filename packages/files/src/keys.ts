import type { Variant } from "./file-urls.ts";

const ID = /^[0-9a-f]{24}$/;
const PICTURE = /^[0-9a-f]{24}-[0-9a-f]{16}$/;

/**
 * The storage key of a file variant. Keys consist of ids only; names chosen by users never reach the storage.
 * @throws {Error} if it isn't a file id
 */
export function storageKey(fileId: string, variant: Variant): string {
  if (!ID.test(fileId)) throw new Error("not the id of a file");
  // Sharded by the end of the id, a counter; its beginning is a timestamp, which would put a month into one folder.
  return `${fileId.slice(-2)}/${fileId}.${variant}`;
}

/**
 * The storage key of a public picture.
 * @param name the id of its file and a hash of its content
 * @throws {Error} if it isn't a picture name
 */
export function pictureKey(name: string): string {
  if (!PICTURE.test(name)) throw new Error("not the name of a picture");
  return `public/${name}.webp`;
}
