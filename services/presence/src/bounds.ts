/** A change is published this long after it happened, with the user's latest status. */
export const GATHER_MS = 1000;
/** A gateway that has not reported for this long is taken for dead. It reports every second. */
export const GATEWAY_TIMEOUT_MS = 5000;
/** Of a gateway that was taken for dead nothing is taken any more: what it had sent may arrive as late as this. */
export const FORGOTTEN_MS = 60_000;
/** A worker that takes longer than this to publish its claimed changes counts as dead, and another one publishes them. */
export const CLAIM_MS = 5000;

/** How often a worker looks for changes that are due, and for gateways that are silent. */
export const PUBLISH_EVERY_MS = 250;
export const SWEEP_EVERY_MS = 1000;
/** After a longer pause than this gateways get the time to report before one of them is taken for dead. */
export const SWEEP_GAP_MS = 3000;
/** A worker publishes at most this often in a second; what is more waits, and a user who waits counts once. */
export const MAX_PUBLICATIONS_PER_SECOND = 5000;
/** Users that are read, forgotten or published in one go, so that nothing else waits long. */
export const CHUNK = 500;

/** Maximum number of typing events per second and channel that a worker publishes. */
export const TYPING_PER_CHANNEL_AND_SECOND = 3;
