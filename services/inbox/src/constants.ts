/** Concurrent queries of one request. */
export const QUERY_CONCURRENCY = 8;
/** Messages read for one page of an inbox, including those the user can no longer see. */
export const MESSAGES_PER_PAGE = 1000;
/** Pages read while the user can see none of the messages, so that hidden mentions rarely displace others. */
export const PAGES_WHILE_HIDDEN = 5;
/** Bytes of messages read to count unread ones: enough for far more than a hundred of ordinary size. */
export const UNREAD_COUNT_MAX_BYTES = 4 * 1024 * 1024;
/** Clocks of other processes can be ahead by this much, so messages stored in the meantime have higher ids. */
export const CLOCK_SKEW_SECONDS = 2;

/** Maximum number of users that get a push for one batch of messages. */
export const USERS_PER_BATCH = 1000;
/** Words of one batch of messages that are looked up among keywords. */
export const KEYS_PER_BATCH = 1000;
/** Users of the whole instance with such a keyword who are examined for one batch. Most can't see the channel. */
export const KEYWORD_USERS_PER_BATCH = 5000;
/** How long the absence of subscriptions is cached. */
export const NO_SUBSCRIPTIONS_TTL_MS = 5000;
/** Concurrent pushes per process. */
export const PUSH_CONCURRENCY = 16;
/** Maximum of pushes waiting in the database; further ones are dropped. */
export const MAX_QUEUED_PUSHES = 20_000;
/** With delays of 1, 2, 4 … s: about a minute in total, for short outages of a push service. */
export const PUSH_TRIES = 7;
/** How long a push service keeps a push for an offline browser. */
export const PUSH_TTL_SECONDS = 24 * 60 * 60;
export const PUSH_TIMEOUT_MS = 10_000;
/** How long after its message a push can wait at a service's request: it may be deleted or read meanwhile. */
export const PUSH_WAIT_MS = 5 * 60_000;
/** Responses of push services aren't used. */
export const RESPONSE_MAX_BYTES = 1024;
/** Those of the services for apps have reasons and access tokens. */
export const APP_RESPONSE_MAX_BYTES = 16 * 1024;
/** How often a reason is logged for which a service refuses pushes. */
export const REFUSED_LOG_MS = 60 * 60_000;

/**
 * Reminders and scheduled messages are handled at their time. This often they are also looked for, in case a process
 * was killed between storing one and noting its time. Those that failed are tried again after it.
 */
export const DUE_INTERVAL_MS = 30_000;
export const DUE_BATCH = 1000;
/** Of those, so many are looked up together. */
export const DUE_AT_ONCE = 50;
/** Between two batches. */
export const DUE_PAUSE_MS = 1000;

/** The newest missed messages of a user that are kept until the email about them. */
export const MISSED_PER_USER = 50;
/** Of which an email shows this many. */
export const MISSED_PER_EMAIL = 10;
/** How long after the first missed message the email comes, by what the user chose. */
export const MISSED_WAIT_MS = { quarterHour: 15 * 60_000, hour: 60 * 60_000, day: 24 * 60 * 60_000 } as const;

/** Cache size: channels known to be threads or not. */
export const PLACE_CACHE_SIZE = 20_000;
/** Cache size: users known to follow a thread. */
export const FOLLOW_CACHE_SIZE = 50_000;
/** How long a follower's activity in a thread isn't recorded again. */
export const FOLLOW_RECORD_MS = 24 * 60 * 60_000;

/** Maximum of mentions of everyone or of roles waiting to be pushed; further ones are dropped. */
export const MAX_QUEUED_MASS_MENTIONS = 100;
/** Maximum share of time spent on going through members, so that interactive calls have priority. */
export const MASS_MENTION_TIME_SHARE = 0.25;
/** Members per page, between two pauses. */
export const MEMBERS_PER_PAGE = 1000;
/** How long to wait for running pushes before adding further ones. */
export const QUEUE_PAUSE_MS = 100;
