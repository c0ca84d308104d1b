/** Callbacks that one process makes at the same time. */
export const CALLBACK_CONCURRENCY = 16;
/** A bot with much to deliver makes room for others after this time. */
export const ROUND_MS = 30_000;
/** How often a callback that works is looked at without a reason: no event reports edits and deletions. */
export const LOOK_AGAIN_MS = 10_000;
/** For so long it is remembered who has subscribed in a group; who has done so since is looked after once it is over. */
export const SUBSCRIBERS_KNOWN_MS = 1000;

export const CALLBACK_TIMEOUT_MS = 10_000;
/** Changes of one channel that are told together. */
export const EVENTS_PER_CALLBACK = 50;
export const INVOCATIONS_PER_STEP = 20;
/** After so many failures in a row, about 5 hours, it is given up. */
export const MAX_FAILURES = 16;
export const CALLBACK_BACKOFF = { firstMs: 1000, maxMs: 60 * 60 * 1000 };

/** Of what the other side has said: for people. */
export const ERROR_MAX_CHARS = 200;
/** Invocations that could not be delivered by then are dropped: their users no longer wait for an answer. */
export const INVOCATION_LIFETIME_S = 60 * 60;
