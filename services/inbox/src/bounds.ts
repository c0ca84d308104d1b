/** Look-ups of one request that are under way at once. */
export const CONCURRENCY = 8;
/** Messages that are looked at for one page of an inbox, those left out too because the user does not see them any more. */
export const MESSAGES_PER_PAGE = 1000;
/** Bytes of messages that are read to count the unread ones: a hundred of ordinary size fit many times. */
export const UNREAD_COUNT_MAX_BYTES = 4 * 1024 * 1024;
/** A clock of another process may be ahead this much: what it has stored meanwhile has later ids. */
export const CLOCK_SKEW_SECONDS = 2;

/** Maximum number of users that get a push for one batch of messages. */
export const USERS_PER_BATCH = 1000;
/** How long the absence of subscriptions is cached. */
export const NO_SUBSCRIPTIONS_KNOWN_MS = 5000;
/** Pushes that one process sends at once. */
export const SENDING = 16;
/** Pushes that wait in the database: beyond it they are dropped. */
export const WAITING = 20_000;
/** With waits of 1, 2, 4 … s between them: about a minute, for a push service that is down for a moment. */
export const PUSH_TRIES = 7;
/** A push service keeps a push for so long when the browser is not there. */
export const PUSH_TTL_SECONDS = 24 * 60 * 60;
export const PUSH_TIMEOUT_MS = 10_000;
/** Of what a push service answers, nothing is needed. */
export const ANSWER_MAX_BYTES = 1024;

/** Channels of which a process remembers whether they are threads. */
export const PLACES_KNOWN = 20_000;
/** Of whom a process remembers that they take part in a thread. */
export const FOLLOWS_KNOWN = 50_000;

/** Mentions of many that wait to be pushed; beyond it they are dropped. */
export const CROWDS_WAITING = 100;
/** The part of the time that looking through members takes at most: what people write and read now comes first. */
export const CROWD_SHARE = 0.25;
/** Members who are looked at between two rests. */
export const MEMBERS_PER_PAGE = 1000;
/** How long it is waited for pushes that are under way, before there are further ones. */
export const QUEUE_REST_MS = 100;
