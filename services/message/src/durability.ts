/** A write that is answered when it is sure to stay. */
export const DURABLE = { w: "majority", j: true } as const;
/** A read of what is sure to stay: nothing that it finds can be lost afterwards. */
export const LASTING = "majority";
