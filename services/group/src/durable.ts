/** What is acknowledged is on disk. */
export const DURABLE = { w: "majority", j: true } as const;

/** For counters that are written right after a durable write: waiting for the disk twice would gain nothing. */
export const COUNTER = { w: "majority", j: false } as const;
