/** What is acknowledged outlives a crash, and a change of the primary. */
export const DURABLE = { w: "majority", j: true } as const;
