export { createFileStorage } from "./create-storage.ts";
export { FileUrls, INLINE_TYPES, picturePath, type SignedFile, type Variant } from "./file-urls.ts";
export { storageKey, pictureKey } from "./keys.ts";
export type { ByteRange, FileStorage, StoredBytes } from "./storage.ts";
