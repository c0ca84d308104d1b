export { createFileStorage } from "./create-storage.ts";
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
