/** Uploads that this process takes at once. */
export const MAX_UPLOADS = 100;
export const UPLOADS_RETRY_MS = 2000;
/** For all of an upload; well within the time after which what has come of it is deleted. */
export const UPLOAD_TIMEOUT_MS = 30 * 60 * 1000;
/** Without a byte. */
export const UPLOAD_IDLE_MS = 30_000;
/** Per address: a page of messages may have some hundred pictures. */
export const DOWNLOAD_RATE_LIMIT = { points: 1000, durationMs: 10_000 } as const;
export const ONE_YEAR_S = 365 * 24 * 60 * 60;
