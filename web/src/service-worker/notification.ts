import { placePath } from "../routes.ts";

/** The push payload of services/inbox. */
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
