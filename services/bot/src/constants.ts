/** Concurrent callbacks per process. */
export const CALLBACK_CONCURRENCY = 16;
/** A bot with many pending events yields to others after this time. */
export const TIME_SLICE_MS = 30_000;
/** How often a callback is checked without an event, because none reports edits and deletions. */
export const POLL_INTERVAL_MS = 10_000;
/** TTL of the cached subscribers of a group; newer subscriptions are found when it expires. */
export const SUBSCRIBERS_TTL_MS = 1000;

export const CALLBACK_TIMEOUT_MS = 10_000;
/** The rest of a response that answers a command or interaction is not read. */
export const ANSWER_MAX_BYTES = 64 * 1024;
/** Interactions with one bot that wait in a process; further ones are rejected. */
export const WAITING_PER_BOT = 100;
/** Changes of one channel per callback. */
export const EVENTS_PER_CALLBACK = 50;
export const INVOCATIONS_PER_STEP = 20;
/** The callback is disabled after this many consecutive failures, about 5 hours. */
export const MAX_FAILURES = 16;
export const CALLBACK_BACKOFF = { firstMs: 1000, maxMs: 60 * 60 * 1000 };

/** Maximum length of a stored error. */
export const ERROR_MAX_CHARS = 200;
/** Invocations not delivered by then are dropped, because their users no longer wait for an answer. */
export const INVOCATION_LIFETIME_S = 60 * 60;
