/** Groups that this process writes out at once: each reads as fast as it is taken. */
export const MAX_EXPORTS = 4;
export const EXPORTS_RETRY_MS = 10_000;
/** Without a byte being taken. */
export const EXPORT_IDLE_MS = 60_000;
/** Lines are sent together. */
export const CHUNK_CHARS = 64 * 1024;

/** Files that this process makes groups of at once. */
export const MAX_IMPORTS = 1;
export const IMPORTS_RETRY_MS = 10_000;
export const IMPORT_IDLE_MS = 30_000;
export const IMPORT_MAX_BYTES = 4 * 1024 * 1024 * 1024;
/** Who wrote in it: they are held until the end. */
export const IMPORT_MAX_USERS = 1_000_000;
/** What is stored together. */
export const IMPORT_CHARS_PER_BATCH = 200_000;
export const IMPORT_LINES_PER_BATCH = 500;
export const IMPORT_PLACES_PER_BATCH = 50;
