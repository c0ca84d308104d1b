const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Of a host as the parser leaves it; it lets characters through that no host has. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])?$/;

/**
 * The address as the browser will understand it, or null when it is not one to follow: a scheme that could run code, a
 * relative one, one that no server has, or one with a name and password, which look like a host.
 */
export function safeUrl(href: string): URL | null {
  const url = URL.parse(href);
  if (url === null || !PROTOCOLS.has(url.protocol)) return null;
  if (!HOST.test(url.hostname) || /[\s<>"]/.test(url.href)) return null;
  return url.username === "" && url.password === "" ? url : null;
}

/** Whether a text looks like the address of another host than the one it links to. */
export function pretends(text: string, url: URL): boolean {
  const host = /^\s*(?:https?:\/\/)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)(?=[/?#:\s]|$)/iu.exec(text)?.[1];
  if (host === undefined || url.protocol === "mailto:") return false;
  const shown = URL.parse(`https://${host}`)?.hostname.replace(/^www\./, "");
  return shown !== undefined && shown !== url.hostname.replace(/^www\./, "");
}
