import { SHARED } from "./messages.ts";

export interface RequestInfo {
  method: string;
  mode: string;
  origin: string;
  path: string;
}

/**
 * The strategy for a request: `page` is network first, `kept` cache first, `share` keeps what another app shares, null leaves it alone. API responses and users' files are never
 * cached, because the server must check access each time.
 */
export function planFor(
  { method, mode, origin, path }: RequestInfo,
  ownOrigin: string,
  precached: ReadonlySet<string>,
): "page" | "kept" | "share" | null {
  if (origin !== ownOrigin) return null;
  if (method === "POST" && mode === "navigate" && path === SHARED.path) return "share";
  if (method !== "GET") return null;
  if (/^\/(?:api|auth|diagram\.html|docs|files|socket\.io)(?:\/|$)/.test(path)) return null;
  if (mode === "navigate") return "page";
  return path.startsWith("/assets/") || precached.has(path) ? "kept" : null;
}
