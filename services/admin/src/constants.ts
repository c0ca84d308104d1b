export const DAY_MS = 24 * 60 * 60 * 1000;

/** Numbers per day are kept for this long. */
export const DAY_STATS_KEPT_DAYS = 400;

export const COUNT_INTERVAL_MS = 60 * 60 * 1000;
/** The last count of a day is this long before its end, and the next one this long after it. */
export const AROUND_MIDNIGHT_MS = 60 * 1000;

/** Limits the load from open status pages. */
export const STATS_MAX_AGE_MS = 10_000;

export const DISK_TIMEOUT_MS = 1000;
