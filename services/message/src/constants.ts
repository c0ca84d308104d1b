import { LIMITS } from "@fanfare/contract";

/** Messages per commit. Bounds the size of one insert (500 × 28,000 characters with cards and controls, at most 42 MB). */
export const ITEMS_PER_COMMIT = 500;

/** One write, from reading the heads to syncing the disk; also the longest wait before it starts. */
export const WRITE_TIMEOUT_MS = LIMITS.writeTimeoutMs / 2;

/** A query with a waiting caller. */
export const READ_TIMEOUT_MS = LIMITS.writeTimeoutMs / 2;

/** Messages per database round trip of a list, which is also how many can be read in vain when the response is full. */
export const MESSAGES_PER_READ = 50;

/** The same for a sync, which reads several channels concurrently and usually finds few changes in each. */
export const CHANGES_PER_READ = 20;

/** Sends and changes of one channel waiting to be committed; further ones are rejected. */
export const MAX_QUEUED_PER_CHANNEL = 2000;

/** The same for all channels together. */
export const MAX_QUEUED_TOTAL = 20_000;

/**
 * Pause after another worker has won a race, multiplied by a random factor below 1. On a replica set its write becomes readable a
 * moment later, so an immediate retry would lose again.
 */
export const LOST_RACE_BACKOFF_MS = 4;

/** How long a write can still be carried out after it was given up, plus an allowance for clock differences between workers. */
export const LATE_WRITE_MS = LIMITS.writeTimeoutMs + 5000;

/** Heads that one commit reads concurrently. */
export const HEAD_READ_CONCURRENCY = 20;

/** Channels with a cached head, about 150 bytes each. */
export const HEAD_CACHE_SIZE = 50_000;

/** Groups with cached word filters. */
export const WORD_FILTER_CACHE_SIZE = 1000;

/**
 * Maximum age of a cached head. Retention only removes messages that were below the head twice as long ago, so that no worker can
 * reuse the number of a removed message.
 */
export const HEAD_MAX_AGE_MS = 30 * 60_000;

export const RETENTION_GRACE_MS = 2 * HEAD_MAX_AGE_MS;

/** How often retention runs, how many messages it removes per batch, and the pause between batches. */
export const RETENTION_INTERVAL_MS = 30 * 60_000;

export const RETENTION_BATCH = 200;
/** Messages of which the times are read at once. */
export const RETENTION_SCAN = 1000;

export const RETENTION_BATCH_PAUSE_MS = 50;

/** Cached nonces of recently stored messages, about 250 bytes each. */
export const NONCE_CACHE_SIZE = 20_000;

/** Channels of one sync that are read concurrently. */
export const SYNC_CONCURRENCY = 10;

/** Documents that the removal of a channel deletes per batch. */
export const REMOVALS_PER_BATCH = 500;

/** When a legal hold ends: kept messages deleted per batch, and the most jobs that can wait. */
export const HELD_PER_BATCH = 100;
export const MAX_QUEUED_RELEASES = 10_000;

/** Removed channels whose messages are waiting to be deleted. */
export const MAX_QUEUED_REMOVALS = 100_000;

/** How often a change is retried when the same message is changed concurrently. */
export const CHANGE_MAX_TRIES = 30;

/** Channels per query that counts mentions. */
export const CHANNELS_PER_COUNT = 50;

/** Positions on each side of a message where its neighbor is looked for: more deleted ones in a row hide it. */
export const NEIGHBOR_REACH = 3;

/** Concurrent queries of one call. */
export const QUERY_CONCURRENCY = 20;

/**
 * How long reactions to a message are batched. The interval grows with the number of changes it has had (the first number,
 * exclusive), so that thousands of reactions over days stay within the limit of changes per message.
 */
export const REACTION_BATCH_MS: readonly (readonly [changes: number, gatherMs: number])[] = [
  [100, 250],
  [500, 2000],
  [1500, 15_000],
  [3000, 60_000],
  [Number.POSITIVE_INFINITY, 600_000],
];

/** Changes available for reactions; the rest is for edits, pins and previews. */
export const REACTION_CHANGES = LIMITS.changesPerMessage - 500;

/** Messages whose reactions are waiting to be counted in one process. Further ones are only marked in the database. */
export const MAX_QUEUED_COUNTS = 10_000;

/** How often marks left by other workers are looked for, their minimum age, and how many are processed at a time. */
export const UNCOUNTED_SWEEP_INTERVAL_MS = 60_000;

export const UNCOUNTED_MIN_AGE_MS = 600_000 + 60_000;

export const UNCOUNTED_BATCH = 100;
