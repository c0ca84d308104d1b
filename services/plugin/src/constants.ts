/** From the start of a plug-in's process until it is ready. */
export const START_TIMEOUT_MS = 15_000;
/** Less than the deadline of the client's call. */
export const CALL_TIMEOUT_MS = 8000;
/** A plug-in that does not answer a ping for this long is stuck, and is restarted. */
export const PING_INTERVAL_MS = 5000;
export const STOP_TIMEOUT_MS = 1000;
/** Calls that a plug-in answers at a time; further ones are rejected. */
export const CALLS_PER_PLUGIN = 64;
/** Events that it handles at a time; further ones are dropped. */
export const EVENTS_PER_PLUGIN = 200;
/** Calls of Fanfare's actions during one call of the plug-in: those are not counted by the rate limits of users. */
export const CALLS_PER_CALL = 20;
/** Calls of event handlers in a channel, in all processes together. */
export const EVENT_CALLS = { points: 60, durationMs: 60_000 };
/** Data published with the same key is sent this often: the newest. */
export const PUBLISH_INTERVAL_MS = 250;
/** Keys of a plug-in in a channel during this time; data with further ones is rejected. */
export const PUBLISHED_KEYS = 50;
/** The same in all channels. */
export const PUBLISHED_KEYS_IN_ALL = 500;
/** The longest message from or to a plug-in, in UTF-16 code units. */
export const LINE_MAX_CHARS = 1024 * 1024;
/** The deepest nesting in a message of a plug-in. The encoders of the gateways are recursive. */
export const DEPTH_MAX = 100;
/** Messages of a plug-in per second, without answers to the server. One that exceeds it is restarted. */
export const LINES_PER_SECOND = 5000;
/** What a plug-in sends and prints per second, in UTF-16 code units. One that exceeds it is restarted. */
export const CHARS_PER_SECOND = 16 * 1024 * 1024;
/** Unread data of a plug-in: beyond it, it is restarted. */
export const UNREAD_MAX_BYTES = 8 * 1024 * 1024;
/** The same, beyond which events are dropped and answers wait. */
export const UNREAD_FOR_EVENTS_BYTES = 1024 * 1024;
/** JavaScript objects. */
export const HEAP_MEGABYTES = 128;
/** All memory of the process, with Node itself and buffers. One that exceeds it is restarted. */
export const MEMORY_MEGABYTES = 320;
export const MEMORY_INTERVAL_MS = 250;
/** Restarts wait twice as long each time; a plug-in that has run for the maximum starts over. */
export const RESTART_BACKOFF = { baseMs: 1000, maxMs: 60_000 };
/** Lines of a plug-in's output, and failures of its handlers, that are logged per minute. */
export const LOGGED_LINES_PER_MINUTE = 100;
export const OUTPUT_MAX_CHARS = 2000;
export const FETCH_TIMEOUT_MS = 5000;
export const FETCH_MAX_BYTES = 256 * 1024;
export const RETRY_AFTER_MS = 2000;
/** Requests of a plug-in that the server works on at a time, and that wait; further ones are rejected. */
export const ASKS = { atOnce: 64, waiting: 1000, retryAfterMs: RETRY_AFTER_MS };
/** For the answers of other processes about their plug-ins. */
export const LIST_TIMEOUT_MS = 2000;
