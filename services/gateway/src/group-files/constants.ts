/** Concurrent exports per process; each reads as fast as the client receives. */
export const MAX_EXPORTS = 4;
export const EXPORTS_RETRY_MS = 10_000;
/** Without the client receiving a byte. */
export const EXPORT_IDLE_MS = 60_000;
/** Lines are sent in chunks. */
export const CHUNK_CHARS = 64 * 1024;
/** How long lines wait for more to fill a chunk. */
export const EXPORT_FLUSH_MS = 3000;

/** Concurrent imports per process. */
export const MAX_IMPORTS = 1;
export const IMPORTS_RETRY_MS = 10_000;
export const IMPORT_IDLE_MS = 30_000;
export const IMPORT_MAX_BYTES = 4 * 1024 * 1024 * 1024;
/** Authors of messages, who are held in memory until the end. */
export const IMPORT_MAX_USERS = 1_000_000;
/** Text stored per batch. */
export const IMPORT_CHARS_PER_BATCH = 200_000;
export const IMPORT_LINES_PER_BATCH = 500;
export const IMPORT_PLACES_PER_BATCH = 50;
