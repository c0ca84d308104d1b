/** How often files are looked for whose time has come, and how many at once. */
export const SWEEP_EVERY_MS = 15_000;
export const SWEEP_BATCH = 100;
/** A worker that handles a file has so long before another one takes over. */
export const SWEEP_LEASE_MS = 5 * 60 * 1000;

/** A claimed file whose message is not there by then was never sent. */
export const CLAIM_CHECKED_AFTER_MS = 60 * 60 * 1000;
/** Whether the message of a file is still there is looked at this often, because what told of its end may have been lost. */
export const CHECKED_EVERY_MS = 7 * 24 * 60 * 60 * 1000;
/** A picture that was replaced is still on pages that are open. */
export const OLD_PICTURE_LIFETIME_MS = 60 * 60 * 1000;

/** Files that are marked in one query. */
export const MARK_BATCH = 500;

/** How much of a file its kind is found by, in bytes. */
export const SNIFFED_BYTES = 4100;
/** Larger images are not decoded. */
export const IMAGE_MAX_BYTES = 64 * 1024 * 1024;
/** Pictures that are drawn at once: each takes 4 bytes a pixel. */
export const IMAGES_AT_ONCE = 2;
/** Further ones that wait; beyond it uploads of pictures are told to come again. */
export const IMAGES_WAITING = 16;
export const IMAGE_TIMEOUT_S = 8;
export const OVERLOADED_RETRY_MS = 2000;

/** Files that are read in one query to add up what they take. */
export const SUM_PAGE = 1000;
/** How long the total size of all files is cached; the shorter time applies when the quota is used up. */
export const INSTANCE_USAGE_KNOWN_MS = 10_000;
export const FULL_INSTANCE_KNOWN_MS = 1_000;
/** Minimum interval between recounts of a full quota. */
export const RECOUNT_GAP_MS = { user: 60 * 1000, group: 60 * 60 * 1000 } as const;
/** Longer than it takes from the room that is taken to the file that is noted. */
export const RECOUNT_QUIET_MS = 30_000;
