import { placePath } from "../routes.ts";

/** What services/inbox pushes. */
interface Pushed {
  title: string;
  body: string;
  channelId: string;
  groupId: string | null;
  messageId: string;
}

export interface Shown {
  title: string;
  body: string;
  /** One notification for each channel: a newer message takes the place of the one before. */
  tag: string;
  path: string;
}

/** What to show for a push; it came encrypted from the server, but is read with care all the same. */
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
