/** Bridged channels per process. */
export const MAX_CHANNELS = 50;

/** For one request to Matterbridge or Fanfare. */
export const REQUEST_TIMEOUT_MS = 15_000;
/** For a post with files, which is up to 16 MiB. */
export const FILES_TIMEOUT_MS = 60_000;
/** Posts with files that take too long, before the message is posted without them. */
export const MAX_FILES_TIMEOUTS = 3;
/** Without a byte from Matterbridge, the stream is opened again: a dead connection can't be told from a quiet one. */
export const STREAM_IDLE_MS = 4 * 60_000;
/** Of one message of the stream, with its files in base64. */
export const LINE_MAX_CHARS = 32 * 1024 * 1024;
/** Messages of a channel that wait to be posted, before no more are read: Matterbridge keeps them. */
export const MAX_QUEUED_PER_CHANNEL = 20;
/** Of the files of all waiting messages, in base64. */
export const MAX_QUEUED_CHARS = 128 * 1024 * 1024;
export const BACKOFF = { baseMs: 1000, maxMs: 60_000 };
/** Tries of a message that the server answers with an error of its own. */
export const MAX_SERVER_ERRORS = 5;

/** Older messages are left out after an interruption. */
export const MAX_MISSED = 50;
/** How long a missing message is waited for before the next one is sent. */
export const GAP_WAIT_MS = 10_000;
/** Edits of earlier messages aren't sent. */
export const EDITABLE_MESSAGES = 200;

/** Names are looked up again after this time. */
export const NAME_TTL_MS = 5 * 60_000;
export const MAX_NAMES = 1000;
