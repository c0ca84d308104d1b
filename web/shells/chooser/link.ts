import { hasPlainHost } from "./address.ts";

const PREFIX = /^fanfare:\/\//i;
const MAX_BYTES = 500;
const ID = "[0-9a-f]{24}";
/** Pages that are safe to open without a question. */
const PATH = new RegExp(
  `^/(?:inbox|direct(?:/${ID})?|groups/${ID}(?:/channels(?:/${ID})?)?|invite/[A-Za-z0-9_-]{6,32})?$`,
);
const IS_ID = new RegExp(`^${ID}$`);

/** A place on a server, from a link such as `fanfare://chat.example.com/invite/abc`. */
export interface Link {
  /** Host, and port if it has one. */
  host: string;
  /** Path and query. */
  path: string;
}

/** The rules are those of `desktop/src/link.rs`; both are tested with `links.json`. */
export function parseLink(text: string): Link | null {
  if (!PREFIX.test(text) || new TextEncoder().encode(text).length > MAX_BYTES) return null;
  // Only URLs of known schemes have a normalized host. More slashes after the scheme would be ignored.
  const rest = text.replace(PREFIX, "");
  if (/^[/\\]/.test(rest)) return null;
  let url: URL;
  try {
    url = new URL(`https://${rest}`);
  } catch {
    return null;
  }
  const isPlain = url.username === "" && url.password === "" && hasPlainHost(url);
  if (!isPlain || !PATH.test(url.pathname)) return null;
  const query = ["thread", "message"].flatMap((name) => {
    const id = url.searchParams.get(name);
    return id !== null && IS_ID.test(id) ? [`${name}=${id}`] : [];
  });
  return { host: url.host, path: url.pathname + (query.length === 0 ? "" : `?${query.join("&")}`) };
}
