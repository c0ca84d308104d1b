import type { ActionName, Params, Result } from "@fanfare/contract";
import type { ServerCache } from "./cache.ts";

/** What a call changes in the cache, besides what its events do. */
export interface Effect<N extends ActionName> {
  /** Shown before the server has answered. Returns how to go back to the truth when it refuses. */
  before?(cache: ServerCache, params: Params<N>): () => void;
  after?(cache: ServerCache, params: Params<N>, answer: Result<N>): void;
}
export type Effects = { [N in ActionName]?: Effect<N> };
