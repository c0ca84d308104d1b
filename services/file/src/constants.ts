/** How often due files are swept, and how many at a time. */
export const SWEEP_INTERVAL_MS = 15_000;
export const SWEEP_BATCH = 100;
/** A worker has this long to handle a file before another one takes over. */
export const SWEEP_LEASE_MS = 5 * 60 * 1000;

/** If the message of a claimed file doesn't exist by then, it was never sent. */
export const CLAIM_CHECK_DELAY_MS = 60 * 60 * 1000;
/** How often the message of an attachment is checked, in case the event of its deletion was lost. */
export const ATTACHMENT_CHECK_INTERVAL_MS = 7 * 24 * 60 * 60 * 1000;
/** How often a deleted file is checked while a legal hold keeps it. */
export const HELD_CHECK_INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Open pages still show the previous picture. */
export const OLD_PICTURE_TTL_MS = 60 * 60 * 1000;

/** Files marked per query. */
export const MARK_BATCH = 500;

/** Bytes of a file used to detect its type. */
export const SNIFFED_BYTES = 4100;
/** Larger images are not decoded. */
export const IMAGE_MAX_BYTES = 64 * 1024 * 1024;
/** Images decoded concurrently; each takes 4 bytes per pixel. */
export const IMAGE_CONCURRENCY = 2;
/** Waiting images; beyond this, uploads of images must be retried. */
export const MAX_QUEUED_IMAGES = 16;
export const IMAGE_TIMEOUT_S = 8;
export const OVERLOADED_RETRY_MS = 2000;

/** Files per query when sizes are summed. */
export const SUM_PAGE_SIZE = 1000;
/** How long the total size of all files is cached; the shorter time applies when the quota is used up. */
export const INSTANCE_USAGE_TTL_MS = 10_000;
export const FULL_INSTANCE_TTL_MS = 1_000;
/** Minimum interval between recounts of a full quota. */
export const RECOUNT_INTERVAL_MS = { user: 60 * 1000, group: 60 * 60 * 1000 } as const;
/** Longer than the time between taking space and storing the file. */
export const RECOUNT_SETTLE_MS = 30_000;
