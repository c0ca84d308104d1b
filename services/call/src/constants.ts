/** A request to LiveKit fails after this time. */
export const LIVEKIT_TIMEOUT_S = 5;
/** How long leaving a call waits until LiveKit has disconnected the user. */
export const LEAVE_TIMEOUT_MS = 1000;
/** How long a token can be used to connect. LiveKit itself renews those of connected clients. */
export const TOKEN_TTL_S = 5 * 60;
/** How long a user who isn't connected can still connect: after `call.join`, and after LiveKit or their network failed. */
export const CONNECT_TIMEOUT_MS = 60_000;
/** LiveKit closes a room that stays empty for this long. Later than the call ends here. */
export const EMPTY_ROOM_TIMEOUT_S = 5 * 60;

/** Changes of a call are collected for this time, and those of its speakers. */
export const REFRESH_INTERVAL_MS = 1000;
/** Maximum number of events about speakers per second that a worker publishes in a group. */
export const MAX_SPEAKER_EVENTS_PER_SECOND = 10;
/** How often an ongoing call is compared with LiveKit, in case a webhook was lost. */
export const CHECK_INTERVAL_MS = 10_000;
/** How often a server without calls looks for some. */
export const IDLE_CHECK_INTERVAL_MS = 60_000;
/** How long after a call has ended it is tried to write the message about it. */
export const MESSAGE_RETRY_MS = 60 * 60_000;
/** How far a look at what happened since the last one goes back further. */
export const OVERLAP_MS = 60_000;
/** Calls and rings that one run of the check handles. */
export const CHECK_BATCH = 100;
export const CHECK_CONCURRENCY = 4;

/** How often a user can be rung in one channel, and by one user in all channels. */
export const RINGS_PER_WINDOW = 10;
export const RING_WINDOW_MS = 10 * 60_000;

/** Tries to join a call that ends at the same time. */
export const JOIN_MAX_TRIES = 5;
/** Tries to store what LiveKit says about a call that another process updates at the same time. */
export const REFRESH_MAX_TRIES = 3;
