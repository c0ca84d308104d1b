/** Concurrent uploads per process. */
export const MAX_UPLOADS = 100;
export const UPLOADS_RETRY_MS = 2000;
/** For a whole upload; much shorter than the time after which incomplete ones are deleted. */
export const UPLOAD_TIMEOUT_MS = 30 * 60 * 1000;
/** Without receiving a byte. */
export const UPLOAD_IDLE_MS = 30_000;
/** Per address: a page of messages can contain hundreds of pictures. */
export const DOWNLOAD_RATE_LIMIT = { points: 1000, durationMs: 10_000 } as const;
export const ONE_YEAR_S = 365 * 24 * 60 * 60;
