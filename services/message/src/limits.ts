import { LIMITS } from "@fanfare/contract";

/** Messages and changes of one commit: bounds the size of one insert (500 × 4,000 chars, 6 MB at most). */
export const ITEMS_PER_COMMIT = 500;
/** Sends and changes of one channel that wait for their commit; further ones are refused. */
export const WAITING_PER_CHANNEL = 2000;
/** The same of all channels together. */
export const WAITING_TOTAL = 20_000;
/** When a refused sender may try again. */
export const RETRY_AFTER_MS = 1000;

/**
 * Numbers taken longer ago than this without a message are holes for ever. The writer gives up after the write timeout;
 * the rest allows for clocks of workers that differ.
 */
export const PENDING_MAX_AGE_MS = LIMITS.writeTimeoutMs + 5000;

/** Channels whose head is remembered, at about 200 bytes each. */
export const KNOWN_HEADS = 50_000;
/** Nonces that are remembered after their message was stored, at about 250 bytes each. */
export const KNOWN_NONCES = 20_000;

/** Cursors of one sync that are looked at together. */
export const SYNC_CONCURRENCY = 10;
/** Documents that the removal of a channel deletes at a time. */
export const REMOVALS_PER_BATCH = 500;
