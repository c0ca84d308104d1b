export { createStore, type Store } from "./store.ts";
export { type ClientState, EMPTY_STATE, type Table } from "./state.ts";
export type { StateEvent } from "./reduce.ts";
export type { Invalidation } from "./invalidations.ts";
export type { LoadName } from "./loads.ts";
export * from "./selectors.ts";
