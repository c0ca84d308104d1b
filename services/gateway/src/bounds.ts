import { LIMITS } from "@fanfare/contract";

/** Calls that this process answers at once; further callers are asked to retry later. */
export const MAX_CALLS_IN_FLIGHT = 5000;
/** The same for one socket, so that one client cannot use up the room of all. */
export const MAX_CALLS_IN_FLIGHT_PER_SOCKET = 256;
export const OVERLOADED_RETRY_MS = 1000;
/**
 * Work without an answer counts as under way for this long: its process is gone, or will refuse it. Its caller is answered
 * earlier.
 */
export const WORK_TIMEOUT_MS = 2 * LIMITS.writeTimeoutMs;

/** After a channel's queue was full its calls are refused at the gateway for so long; a full queue lasts longer than that. */
export const FULL_CHANNEL_MS = 50;
/** Channels that are remembered as full; beyond it all are asked again. */
export const MAX_FULL_CHANNELS = 1000;

/** Packets of any kind that one socket may send in a second; one that sends more is disconnected. */
export const MAX_PACKETS_PER_SECOND = 500;

/** Calls of any kind from one address, logged in or not: many users of one address do not multiply what one may. */
export const ADDRESS_RATE_LIMIT = { points: 2000, durationMs: 10_000 } as const;
/** Requests for files of the page, for avatars and pictures of one address: a first visit takes some fifty. */
export const PAGE_RATE_LIMIT = { points: 20_000, durationMs: 10_000 } as const;

/** Heavy reads that one user and one address run at once, on one thread of one gateway: more would only hold more memory. */
export const MAX_HEAVY_READS_PER_USER = 1;
export const MAX_HEAVY_READS_PER_ADDRESS = 2;
/** Heavy reads that wait for their turn, of one user and of all; beyond these, or after READ_WAIT_MS, they are refused. */
export const MAX_WAITING_READS_PER_USER = 32;
export const MAX_WAITING_READS = 2000;
export const READ_WAIT_MS = 3000;
/** What one user and one address can read, in points of 1 KiB of answers. It is charged after the answer. */
export const READ_COST_PER_USER = { points: 32 * 1024, durationMs: 10_000 } as const;
export const READ_COST_PER_ADDRESS = { points: 128 * 1024, durationMs: 10_000 } as const;
/**
 * A heavy read is charged for its time too, about what an answer that takes as long to make would cost. Only so much of the time
 * counts, because a busy server takes longer for everyone.
 */
export const READ_COST_PER_MS = 50;
export const READ_MAX_CHARGED_MS = 20;

/** A WebSocket ping or pong counts as so many packets: libraries send one in some seconds. */
export const PACKETS_PER_CONTROL_FRAME = 10;

/** Unread bytes of one socket from which on nothing more is read from it, until it has read them. */
export const MAX_UNREAD_BYTES_PER_SOCKET = 1024 * 1024;
/** Such a socket is closed after it has not taken a single byte for this long. */
export const NOT_READING_TIMEOUT_MS = 20_000;

/** Clients that are refused because of maintenance retry after this long. */
export const PAUSED_RETRY_MS = 15_000;
/** How long a starting gateway waits for the maintenance state, and how often it asks for it. */
export const MAINTENANCE_WAIT_MS = 2000;
export const MAINTENANCE_RETRY_MS = 100;

/** How often one user may open a socket. */
export const CONNECT_RATE_LIMIT = { points: 30, durationMs: 10_000 } as const;
/** A connection that is not logged in by then is closed. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long a client may take to close its end after the server has closed a WebSocket. */
export const CLOSE_TIMEOUT_MS = 2000;
/**
 * Connections above a limit that are still accepted, only to send the reason for their refusal. Those above even that are refused
 * while they are HTTP, which a browser shows its page as a bare failure.
 */
export const REFUSAL_SLACK = 50;
/** Connections besides the sockets: calls by HTTP and the files of the page. */
export const HTTP_CONNECTIONS = 5000;
/** The same for one address, besides the sockets that it may have. */
export const HTTP_CONNECTIONS_PER_ADDRESS = 200;
/** From a connection's start, or a request's first byte, to the end of its headers. */
export const HTTP_HEADERS_TIMEOUT_MS = 10_000;
export const HTTP_REQUEST_TIMEOUT_MS = 30_000;
/** How often both are looked at. */
export const HTTP_TIMEOUT_CHECK_MS = 2000;

export const PING_INTERVAL_MS = 25_000;
export const PING_TIMEOUT_MS = 20_000;

/**
 * On stop: how long clients may take to go elsewhere and running calls to be answered, together, and then sockets to close.
 * Supervisors allow 10 s. A call that is cut off may have been stored, and its client cannot know.
 */
export const DRAIN_MS = 8000;
export const DRAIN_SOCKETS_MS = 500;
/** Clients come back after a random part of this, so that they do not all come at once. */
export const RECONNECT_WITHIN_MS = 5000;

/** What is remembered of ended sessions, at most; the oldest is forgotten first. */
export const MAX_ENDED_SESSIONS = 500_000;
/** How often a gateway looks for sessions that ended without a word to it. */
export const ENDED_SESSIONS_CHECK_MS = 10_000;

/** Tokens of bots that are known, and how long one is good without asking again. */
export const MAX_KNOWN_BOT_TOKENS = 10_000;
export const BOT_TOKEN_KNOWN_MS = 15_000;
/** Unknown tokens of bots that are asked for at the same time. */
export const MAX_BOTS_ASKED_FOR = 50;

/** Who comes back within this time after the last connection has never been away. */
export const PRESENCE_GRACE_MS = 3000;
export const PRESENCE_TICK_MS = 250;
/** A gateway that has nothing to report says so this often; five times as long without a word, and it is taken for dead. */
export const PRESENCE_HEARTBEAT_MS = 1000;
/** So short that after a worker that does not answer another one is asked in time. */
export const PRESENCE_REPORT_TIMEOUT_MS = 1500;
export const PRESENCE_REPORT_MAX_USERS = LIMITS.usersPerPresenceReport;

/** Presence changes are published a second late, so that a socket that has just subscribed misses none. */
export const SUBSCRIBE_WITHIN_MS = 900;
/** How often subscriptions that have ended are looked for. */
export const SUBSCRIPTION_SWEEP_MS = 10_000;

/** Sessions that are known to have a second factor where one is required, and how long one is known without asking again. */
export const MAX_KNOWN_FACTORS = 50_000;
export const FACTOR_KNOWN_MS = 60_000;

/**
 * After something may have been lost on the way here: how many users are brought up to date at once, and when it is tried again.
 */
export const CATCH_UP_CONCURRENCY = 16;
export const CATCH_UP_RETRY_MS = 500;
