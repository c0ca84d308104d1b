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
