import { SHARED } from "./messages.ts";
import { placePath } from "../routes.ts";

export interface RequestInfo {
  method: string;
  mode: string;
  origin: string;
  path: string;
}

/** Paths that aren't pages of the application. */
const OTHER = /^\/(?:api|auth|diagram\.html|docs|files|socket\.io)(?:\/|$)/;

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
  if (OTHER.test(path)) return null;
  if (mode === "navigate") return "page";
  return path.startsWith("/assets/") || precached.has(path) ? "kept" : null;
}

/**
 * The focused window of the application, or else its most recently used one; undefined if there is none.
 * @param windows of this origin, most recently used first
 */
export function windowToUse<W extends { url: string; focused: boolean }>(
  windows: readonly W[],
): W | undefined {
  const own = windows.filter(({ url }) => !OTHER.test(new URL(url).pathname));
  return own.find(({ focused }) => focused) ?? own[0];
}

/** The push payload of services/inbox. */
interface Pushed {
  title: string;
  body: string;
  channelId: string;
  groupId: string | null;
  messageId: string;
}

interface Shown {
  title: string;
  body: string;
  /** One per channel: a newer message replaces the earlier notification. */
  tag: string;
  path: string;
}

/** The notification for a push. Validates the payload, even though it comes encrypted from the server. */
export function notificationOf(pushed: unknown): Shown {
  if (!isPushed(pushed)) return { title: "Fanfare", body: "", tag: "fanfare", path: "/" };
  const { title, body, channelId, groupId, messageId } = pushed;
  return { title, body, tag: channelId, path: placePath(groupId, channelId, { message: messageId }) };
}

const ID = /^[0-9a-f]{24}$/;

function isPushed(pushed: unknown): pushed is Pushed {
  if (typeof pushed !== "object" || pushed === null) return false;
  const { title, body, channelId, groupId, messageId } = pushed as Record<string, unknown>;
  const isId = (id: unknown): boolean => typeof id === "string" && ID.test(id);
  return (
    typeof title === "string" &&
    typeof body === "string" &&
    isId(channelId) &&
    isId(messageId) &&
    (groupId === null || isId(groupId))
  );
}
