export interface Asked {
  method: string;
  mode: string;
  origin: string;
  path: string;
}

/**
 * What the service worker does with a request: `page`, the network first; `kept`, the cache first; null, nothing.
 * Never anything of the API, and no files of users: what somebody may see is the server's to say, each time.
 */
export function planFor(
  { method, mode, origin, path }: Asked,
  ownOrigin: string,
  precached: ReadonlySet<string>,
): "page" | "kept" | null {
  if (method !== "GET" || origin !== ownOrigin) return null;
  if (/^\/(?:api|docs|files|socket\.io)(?:\/|$)/.test(path)) return null;
  if (mode === "navigate") return "page";
  return path.startsWith("/assets/") || precached.has(path) ? "kept" : null;
}
