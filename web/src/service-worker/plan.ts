export interface RequestInfo {
  method: string;
  mode: string;
  origin: string;
  path: string;
}

/**
 * The strategy for a request: `page` is network first, `kept` cache first, null leaves it alone. API responses and users' files are never
 * cached, because the server must check access each time.
 */
export function planFor(
  { method, mode, origin, path }: RequestInfo,
  ownOrigin: string,
  precached: ReadonlySet<string>,
): "page" | "kept" | null {
  if (method !== "GET" || origin !== ownOrigin) return null;
  if (/^\/(?:api|docs|files|socket\.io)(?:\/|$)/.test(path)) return null;
  if (mode === "navigate") return "page";
  return path.startsWith("/assets/") || precached.has(path) ? "kept" : null;
}
