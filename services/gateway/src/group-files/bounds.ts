/** Groups that this process writes out at once: each reads as fast as it is taken. */
export const MAX_EXPORTS = 4;
export const EXPORTS_RETRY_MS = 10_000;
/** Without a byte being taken. */
export const EXPORT_IDLE_MS = 60_000;
/** Lines are sent together. */
export const CHUNK_CHARS = 64 * 1024;
