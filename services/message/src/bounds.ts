import { LIMITS } from "@fanfare/contract";

/** Messages of one commit: bounds the size of one insert (500 × 4,000 chars, 6 MB at most). */
export const ITEMS_PER_COMMIT = 500;

/** One write, from the reading of the heads to the disk; its start is not waited for longer than this either. */
export const WRITE_TIMEOUT_MS = LIMITS.writeTimeoutMs / 2;

/** A query with a waiting caller. */
export const READ_TIMEOUT_MS = LIMITS.writeTimeoutMs / 2;

/** Messages that one database round trip of a list reads; an answer that is full earlier has read at most this many too many. */
export const MESSAGES_PER_READ = 50;

/** The same of a sync, which reads several channels at once and mostly finds few changes in each. */
export const CHANGES_PER_READ = 20;

/** Sends and changes of one channel that wait for their commit; further ones are refused. */
export const WAITING_PER_CHANNEL = 2000;

/** The same of all channels together. */
export const WAITING_TOTAL = 20_000;

/** When a refused sender may try again. */
export const RETRY_AFTER_MS = 1000;

/**
 * Another worker was faster: on a replica set its write can be read only a moment later, so asking again at once would
 * lose once more. A random part of this.
 */
export const LOST_RACE_PAUSE_MS = 4;

/** How long after it was given up a write can still be carried out; the rest allows for clocks of workers that differ. */
export const LATE_WRITE_MS = LIMITS.writeTimeoutMs + 5000;

/** Heads that one commit reads at the same time. */
export const HEAD_READ_CONCURRENCY = 20;

/** Channels whose head is remembered, at about 150 bytes each. */
export const KNOWN_HEADS = 50_000;

/** Groups whose word filters are remembered. */
export const KNOWN_WORD_FILTERS = 1000;

/**
 * A head is remembered for so long at most. Retention removes only what was below the head twice as long ago, so that no worker
 * can take a number of what was removed for a free one.
 */
export const HEAD_MAX_AGE_MS = 30 * 60_000;

export const RETENTION_GRACE_MS = 2 * HEAD_MAX_AGE_MS;

/** How often old messages are looked for, and how many are removed at a time, with a pause after it. */
export const LOOK_FOR_OLD_MS = 30 * 60_000;

export const OLD_PER_BATCH = 200;

export const PAUSE_AFTER_BATCH_MS = 50;

/** Nonces that are remembered after their message was stored, at about 250 bytes each. */
export const KNOWN_NONCES = 20_000;

/** Cursors of one sync that are looked at together. */
export const SYNC_CONCURRENCY = 10;

/** Documents that the removal of a channel deletes at a time. */
export const REMOVALS_PER_BATCH = 500;

/** Removed channels whose messages can wait to be deleted. */
export const CHANNELS_TO_REMOVE = 100_000;

/** How often a change is retried because another one has changed the same message. */
export const CHANGE_TRIES = 30;

/** Channels whose mentions one query counts. */
export const CHANNELS_PER_COUNT = 50;

/** Queries of one call that run at the same time. */
export const QUERY_CONCURRENCY = 20;

/**
 * Reactions to one message are gathered for so long: the more changes it has had (the first number, exclusive) the longer, so
 * that the numbers of its changes suffice for a message that thousands react to for days.
 */
export const GATHER_REACTIONS_MS: readonly (readonly [changes: number, gatherMs: number])[] = [
  [100, 250],
  [500, 2000],
  [1500, 15_000],
  [3000, 60_000],
  [Number.POSITIVE_INFINITY, 600_000],
];

/** The rest of a message's changes is for edits, pins and previews. */
export const REACTION_CHANGES = LIMITS.changesPerMessage - 500;

/** Messages whose reactions wait to be counted, in one process; of those above it the note in the database is all there is. */
export const WAITING_COUNTS = 10_000;

/** How often notes are looked for that another worker has left, how old they are then, and how many it takes up at a time. */
export const LOOK_FOR_UNCOUNTED_MS = 60_000;

export const UNCOUNTED_LEFT_MS = 600_000 + 60_000;

export const UNCOUNTED_TAKEN_UP = 100;
