import type { ActionName, Params, Result } from "@fanfare/contract";
import type { ServerCache } from "./cache.ts";

/** Makes something once for each session. */
export function perCache<T>(make: (cache: ServerCache) => T): (cache: ServerCache) => T {
  const made = new WeakMap<ServerCache, T>();
  return (cache) => {
    const held = made.get(cache);
    if (held !== undefined) return held;
    const fresh = make(cache);
    made.set(cache, fresh);
    return fresh;
  };
}

/** So many channels have something of their own; of those that were asked for longest ago it is forgotten. */
const MAX_CHANNELS = 50;

/** Makes something once for each channel. */
export class PerChannel<T> {
  readonly #make: (channelId: string) => T;
  readonly #made = new Map<string, T>();

  constructor(make: (channelId: string) => T) {
    this.#make = make;
  }

  of(channelId: string): T {
    const value = this.#made.get(channelId) ?? this.#make(channelId);
    this.#made.delete(channelId);
    this.#made.set(channelId, value);
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= MAX_CHANNELS) break;
      this.#made.delete(oldest);
    }
    return value;
  }

  all(): Iterable<T> {
    return this.#made.values();
  }
}

/** What a call changes in the cache, besides what its events do. */
export interface Effect<N extends ActionName> {
  /** Shown before the server has answered. Returns how to go back to the truth when it refuses. */
  before?(cache: ServerCache, params: Params<N>): () => void;
  after?(cache: ServerCache, params: Params<N>, answer: Result<N>): void;
}
export type Effects = { [N in ActionName]?: Effect<N> };
