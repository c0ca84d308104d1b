import { LIMITS } from "@fanfare/contract";

/** Calls in progress per process; further ones are rejected and can be retried. */
export const MAX_CALLS_IN_FLIGHT = 5000;
/** The same per socket, so that one client can't use up the limit. */
export const MAX_CALLS_IN_FLIGHT_PER_SOCKET = 256;
export const OVERLOADED_RETRY_MS = 1000;
/**
 * Work without a result counts as in progress for this long. By then its process is gone or will reject it; its caller got a
 * timeout earlier.
 */
export const WORK_TIMEOUT_MS = 2 * LIMITS.writeTimeoutMs;

/** How long calls of a channel are rejected at the gateway after its queue was full, which lasts longer. */
export const FULL_CHANNEL_TTL_MS = 50;
/** Maximum of channels remembered as full; beyond it the cache is cleared. */
export const MAX_FULL_CHANNELS = 1000;

/** Packets of any kind per socket and second; a socket that exceeds it is disconnected. */
export const MAX_PACKETS_PER_SECOND = 500;

/** Calls of any kind per address, logged in or not, so that many users of one address don't multiply the limits. */
export const ADDRESS_RATE_LIMIT = { points: 2000, durationMs: 10_000 } as const;
/** Refused LiveKit webhooks per address. */
export const REFUSED_WEBHOOKS_RATE_LIMIT = { points: 300, durationMs: 60_000 } as const;
/** Files per webhook. */
export const WEBHOOK_FILES_RATE_LIMIT = { points: 60, durationMs: 60_000 } as const;
/** Forms of webhooks that are in memory per process; further ones are rejected. */
export const MAX_WEBHOOK_FORMS = 8;
/** The same per webhook, so that one that sends slowly can't use up the limit. */
export const MAX_FORMS_PER_WEBHOOK = 2;
export const WEBHOOK_FORMS_RETRY_MS = 2000;
/** Fields of such a form, besides files. */
export const FORM_MAX_FIELDS = 50;
/** Of the headers of one field or file. */
export const FORM_HEADER_MAX_BYTES = 8 * 1024;
/** Requests per address for files of the page, avatars and pictures. A first visit needs about fifty. */
export const PAGE_RATE_LIMIT = { points: 20_000, durationMs: 10_000 } as const;

/** Concurrent heavy reads per user and address, on one thread of one gateway: more would only use more memory. */
export const MAX_HEAVY_READS_PER_USER = 1;
export const MAX_HEAVY_READS_PER_ADDRESS = 2;
/** Heavy reads waiting for their turn, per user and in total; beyond these, or after READ_WAIT_MS, they are rejected. */
export const MAX_WAITING_READS_PER_USER = 32;
export const MAX_WAITING_READS = 2000;
export const READ_WAIT_MS = 3000;
/** Read budget per user and address, in points of 1 KiB of response, charged after the response. */
export const READ_COST_PER_USER = { points: 32 * 1024, durationMs: 10_000 } as const;
export const READ_COST_PER_ADDRESS = { points: 128 * 1024, durationMs: 10_000 } as const;
/**
 * Heavy reads are also charged for their duration, roughly what a response that takes equally long would cost. The time is
 * capped, because a busy server is slow for everyone.
 */
export const READ_COST_PER_MS = 50;
export const READ_MAX_CHARGED_MS = 20;

/** A WebSocket ping or pong counts as this many packets: libraries send one every few seconds. */
export const PACKETS_PER_CONTROL_FRAME = 10;

/** Unread bytes of a socket above which the gateway stops reading from it. */
export const MAX_UNREAD_BYTES_PER_SOCKET = 1024 * 1024;
/** Such a socket is closed when it has not received a byte for this long. */
export const STALLED_TIMEOUT_MS = 20_000;

/** Clients rejected because of maintenance retry after this time. */
export const PAUSED_CALL_RETRY_MS = 15_000;
/** How long a starting gateway waits for the maintenance state, and how often it retries. */
export const MAINTENANCE_WAIT_MS = 2000;
export const MAINTENANCE_RETRY_MS = 100;

/** How often one user may open a socket. */
export const CONNECT_RATE_LIMIT = { points: 30, durationMs: 10_000 } as const;
/** Longest time a login waits to list its rooms together with those of other logins. */
export const CROWD_MS = 4;
/** A connection that has not logged in by then is closed. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long a client has to close its end after the server has closed a WebSocket. */
export const CLOSE_TIMEOUT_MS = 2000;
/**
 * Connections above a limit that are still accepted, only to send the reason for the rejection. Further ones are rejected as HTTP
 * requests, where a browser hides the reason from its page.
 */
export const REJECTION_HEADROOM = 50;
/** Connections in addition to the sockets: HTTP calls and files of the page. */
export const HTTP_CONNECTIONS = 5000;
/** The same per address. */
export const HTTP_CONNECTIONS_PER_ADDRESS = 200;
/** From the start of a connection, or the first byte of a request, to the end of the headers. */
export const HTTP_HEADERS_TIMEOUT_MS = 10_000;
export const HTTP_REQUEST_TIMEOUT_MS = 30_000;
/** How often the timeouts are checked. */
export const HTTP_TIMEOUT_CHECK_MS = 2000;

export const PING_INTERVAL_MS = 25_000;
export const PING_TIMEOUT_MS = 20_000;

/**
 * On shutdown: how long clients have to reconnect elsewhere and running calls to complete, together, and then sockets to close.
 * Supervisors allow 10 s. A call that is cut off may have been stored, which its client can't know.
 */
export const DRAIN_MS = 8000;
export const DRAIN_SOCKETS_MS = 500;
/** Clients reconnect after a random part of this time, to avoid a thundering herd. */
export const RECONNECT_WITHIN_MS = 5000;

/** Maximum of remembered ended sessions; the oldest are dropped first. */
export const MAX_ENDED_SESSIONS = 500_000;
/** How often a gateway polls for ended sessions that it was not notified of. */
export const ENDED_SESSIONS_CHECK_MS = 10_000;

/** Cached bot tokens, and their TTL. */
export const MAX_CACHED_BOT_TOKENS = 10_000;
export const BOT_TOKEN_TTL_MS = 15_000;
/** Concurrent lookups of unknown bot tokens. */
export const MAX_BOT_LOOKUPS = 50;

/** A user who reconnects within this time after the last connection is not reported offline. */
export const PRESENCE_GRACE_MS = 3000;
export const PRESENCE_TICK_MS = 250;
/** How often a gateway without changes sends a heartbeat; after five times this without one it is considered dead. */
export const PRESENCE_HEARTBEAT_MS = 1000;
/** Short enough that another worker can be tried in time when one doesn't respond. */
export const PRESENCE_REPORT_TIMEOUT_MS = 1500;
export const PRESENCE_REPORT_MAX_USERS = LIMITS.usersPerPresenceReport;

/** Presence changes are published a second late, so that a socket that has just subscribed doesn't miss any. */
export const SUBSCRIBE_TIMEOUT_MS = 900;
/** How often expired subscriptions are removed. */
export const SUBSCRIPTION_SWEEP_MS = 10_000;

/** Sessions cached as having a required second factor, and the TTL. */
export const MAX_CACHED_FACTORS = 50_000;
export const FACTOR_TTL_MS = 60_000;

/** Sessions remembered until the next report; others are recorded when they are used again. */
export const MAX_USED_SESSIONS = 100_000;

/** Of a form with one field, in either encoding. */
export const UNSUBSCRIBE_BODY_MAX_BYTES = 1024;

/** After events may have been lost: how many users are refreshed concurrently, and when a failure is retried. */
export const CATCH_UP_CONCURRENCY = 16;
export const CATCH_UP_RETRY_MS = 500;

/** Concurrent uploads per process. */
export const MAX_UPLOADS = 100;
export const UPLOADS_RETRY_MS = 2000;
/** For a whole upload; much shorter than the time after which incomplete ones are deleted. */
export const UPLOAD_TIMEOUT_MS = 30 * 60 * 1000;
/** Without receiving a byte. */
export const UPLOAD_IDLE_MS = 30_000;
/** Per address: a page of messages can contain hundreds of pictures. */
export const DOWNLOAD_RATE_LIMIT = { points: 1000, durationMs: 10_000 } as const;
export const ONE_YEAR_S = 365 * 24 * 60 * 60;

/** Concurrent exports per process; each reads as fast as the client receives. */
export const MAX_EXPORTS = 4;
/** So that one user's slow downloads don't keep all others waiting. */
export const MAX_EXPORTS_PER_USER = 2;
export const EXPORTS_RETRY_MS = 10_000;
/** Without the client receiving a byte. */
export const EXPORT_IDLE_MS = 60_000;
/** Lines are sent in chunks. */
export const CHUNK_CHARS = 64 * 1024;
/** How long lines wait for more to fill a chunk. */
export const EXPORT_FLUSH_MS = 3000;

/** Concurrent imports per process. */
export const MAX_IMPORTS = 1;
export const IMPORTS_RETRY_MS = 10_000;
export const IMPORT_IDLE_MS = 30_000;
export const IMPORT_MAX_BYTES = 4 * 1024 * 1024 * 1024;
/** Authors of messages, who are held in memory until the end. */
export const IMPORT_MAX_USERS = 1_000_000;
/** Text stored per batch. */
export const IMPORT_CHARS_PER_BATCH = 200_000;
export const IMPORT_LINES_PER_BATCH = 500;
export const IMPORT_PLACES_PER_BATCH = 50;

/** Requests of one address. Entra ID sends up to 25 in a second. */
export const SCIM_RATE_LIMIT = { points: 3000, durationMs: 60_000 } as const;
export const SCIM_PAGE_MAX_ITEMS = LIMITS.pageMaxItems;
export const SCIM_FILTER_MAX_CHARS = 1000;
export const SCIM_MAX_OPERATIONS = 100;
/** A group can be sent with all of its members. */
export const SCIM_GROUP_BODY_MAX_BYTES = 1024 * 1024;
