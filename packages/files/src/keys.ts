import type { Variant } from "./file-urls.ts";

const ID = /^[0-9a-f]{24}$/;
const PICTURE = /^[0-9a-f]{24}-[0-9a-f]{16}$/;

/**
 * The key of a file's bytes. Keys consist of ids only: names chosen by users never reach the storage.
 * @throws {Error} when it is no id
 */
export function storageKey(fileId: string, variant: Variant): string {
  if (!ID.test(fileId)) throw new Error("not the id of a file");
  // By the end of the id, which is a counter: the beginning is the time, and would put a month into one folder.
  return `${fileId.slice(-2)}/${fileId}.${variant}`;
}

/**
 * The key of a public picture, by the id of its file and a hash of its content.
 * @throws {Error} when it is no name of a picture
 */
export function pictureKey(name: string): string {
  if (!PICTURE.test(name)) throw new Error("not the name of a picture");
  return `public/${name}.webp`;
}
