/** Pages that one process fetches at the same time. */
export const FETCH_CONCURRENCY = 8;
/** Messages that wait; those beyond it get no preview. */
export const WAITING_MESSAGES = 1000;
export const LINKS_PER_MESSAGE = 3;
export const FETCH_TIMEOUT_MS = 5000;
export const PAGE_MAX_BYTES = 512 * 1024;
export const MAX_REDIRECTS = 4;
/** Pages that are remembered, those without a preview too. */
export const CACHED_PAGES = 2000;
export const CACHE_MAX_AGE_MS = 30 * 60 * 1000;
