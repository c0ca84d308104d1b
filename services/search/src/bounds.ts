/** Increment it when messages get other tokens: then all messages are indexed again. */
export const INDEX_VERSION = 3;
/** Different tokens of a message; words beyond that are not found. */
export const TOKENS_PER_MESSAGE = 1000;
/** Of a longer word this much counts. */
export const WORD_MAX_CHARS = 40;
/** Words of a search that count; the longest ones. */
export const WORDS_PER_SEARCH = 10;

/** Changes of a channel that are read and indexed at a time. */
export const CHANGES_PER_STEP = 500;
/** Channels that are indexed together in the background, with at most CHANGES_PER_STEP changes of all of them. */
export const CHANNELS_PER_ROUND = 50;
/** Logs that are read at the same time. */
export const LOGS_AT_ONCE = 4;
/** Changes that one search waits for; what is beyond it is indexed behind it. */
export const STEPS_PER_SEARCH = 10;
/** Threads whose heads a search looks at, of groups that are asked for together; what is beyond it the next one does. */
export const THREADS_PER_SEARCH = 500;
/**
 * The threads of groups that were checked within this time are read with one query. Groups that were checked earlier can have any
 * number of changed threads, so each of them is read with a query of its own, which the limit cuts short.
 */
export const RECENTLY_MS = 24 * 60 * 60 * 1000;
/** How outdated the stored progress of an idle group can be, so that searches rarely write it. */
export const IDLE_PROGRESS_MS = 60 * 60 * 1000;
/** Calls of other services by one search that are under way at once. */
export const CALLS_AT_ONCE = 8;
/** An activity is noted a second late, by clocks that are not quite the same: so much of the past is looked at again. */
export const ACTIVITY_LATE_MS = 60_000;
/** After this time without a search in a group, all of its threads are checked again. */
export const GROUP_PROGRESS_LIFETIME_S = 30 * 24 * 60 * 60;
/** Channels whose progress one command looks up. */
export const CHANNELS_PER_LOOK_UP = 500;
/** Rounds of channels that a search indexes at the same time. */
export const INDEX_CONCURRENCY = 4;
/** The part of the time that indexing in the background takes at most: what people write and read now comes first. */
export const INDEX_SHARE = 0.2;
/**
 * How long new messages gather before they are indexed: a step costs as much for one message as for dozens, and no search waits
 * for it.
 */
export const INDEX_AFTER_MS = 10_000;
/** Channels that wait to be indexed; of those above it the next search sees to it. */
export const WAITING_CHANNELS = 10_000;

/** Entries that one search looks at, so that none takes long; a page that ends there says where to go on. */
export const ENTRIES_PER_SEARCH = 20_000;
/**
 * Channels times tokens in one query to MongoDB, which merges the sorted entries of up to 200; of more it would sort all of them.
 */
export const RANGES_PER_QUERY = 200;
/** Entries that are read at a time when more than one word has to match. */
export const ENTRIES_PER_READ = 200;
/** The same if the first word has a prefix: each read sorts all entries with a token that starts with it. */
export const ENTRIES_PER_SORTED_READ = 5000;
/** Channels in one command to the embedded database, which runs one at a time: about 10 ms. */
export const CHANNELS_PER_FIND = 200;
/** Queries of one search that are under way at once. */
export const SEARCH_CONCURRENCY = 10;
/** The longest that one query may take. */
export const QUERY_TIMEOUT_MS = 5000;
/** Entries of a removed channel that are deleted at a time. */
export const REMOVALS_PER_BATCH = 500;
