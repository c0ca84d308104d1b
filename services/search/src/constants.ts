/** Increment this when the tokens of messages change, so that all messages are indexed again. */
export const INDEX_VERSION = 5;
/** Distinct tokens per message; further words can't be found. */
export const TOKENS_PER_MESSAGE = 1000;
/** Longer words are cut to this length. */
export const WORD_MAX_CHARS = 40;
/** Words used per search; the longest ones. */
export const WORDS_PER_SEARCH = 10;

/** Changes of a channel that are read and indexed at a time. */
export const CHANGES_PER_STEP = 500;
/** Channels indexed together in the background, with at most CHANGES_PER_STEP changes in total. */
export const CHANNELS_PER_ROUND = 50;
/** Logs that are read concurrently. */
export const LOG_READ_CONCURRENCY = 4;
/** Steps of indexing that one search waits for; the rest is indexed in the background. */
export const STEPS_PER_SEARCH = 10;
/** Threads whose heads a search checks, for groups that are queried together; the next search continues. */
export const THREADS_PER_SEARCH = 500;
/**
 * Threads of groups that were checked within this time are read with one query. Groups checked earlier can have any number of
 * changed threads, so each is read with a separate query, which the limit bounds.
 */
export const RECENT_MS = 24 * 60 * 60 * 1000;
/** How outdated the stored progress of an idle group can be, so that searches rarely write it. */
export const IDLE_PROGRESS_MS = 60 * 60 * 1000;
/** Concurrent calls of other services per search. */
export const CALL_CONCURRENCY = 8;
/** The time of a change is from before its write, and clocks differ, so this much of the past is checked again. */
export const CHANGE_LAG_MS = 60_000;
/** After this time without a search in a group, all of its threads are checked again. */
export const GROUP_PROGRESS_LIFETIME_S = 30 * 24 * 60 * 60;
/** Channels whose progress is read per query. */
export const CHANNELS_PER_LOOKUP = 500;
/** Rounds of channels that a search indexes concurrently. */
export const INDEX_CONCURRENCY = 4;
/** Maximum share of time spent on background indexing, so that interactive calls have priority. */
export const INDEX_TIME_SHARE = 0.2;
/**
 * How long new messages wait before they are indexed: a step costs the same for one message as for dozens, and no search waits.
 */
export const INDEX_DELAY_MS = 10_000;
/** Channels waiting to be indexed; for others, the next search indexes them. */
export const MAX_QUEUED_CHANNELS = 10_000;

/** Entries read by one search, to bound its duration; the page then returns where to continue. */
export const ENTRIES_PER_SEARCH = 20_000;
/** Channels times tokens per query to MongoDB, which merges up to 200 sorted ranges and would sort the entries of more. */
export const RANGES_PER_QUERY = 200;
/** Entries read at a time when more than one word has to match. */
export const ENTRIES_PER_READ = 200;
/** The same if the first word has a prefix: each read sorts all entries with a token that starts with it. */
export const ENTRIES_PER_SORTED_READ = 5000;
/** Channels per command to the embedded database, which runs them sequentially: about 10 ms. */
export const CHANNELS_PER_FIND = 200;
/** Concurrent queries of one search. */
export const SEARCH_CONCURRENCY = 10;
/** Timeout of one query. */
export const QUERY_TIMEOUT_MS = 5000;
/** Entries of a removed channel deleted per batch. */
export const REMOVALS_PER_BATCH = 500;
