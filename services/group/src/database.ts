/** Longest time a login waits to share queries with concurrent logins. */
export const CROWD_MS = 4;

/** For counters written right after a durable write: waiting for the disk twice would gain nothing. */
export const COUNTER = { w: "majority", j: false } as const;
