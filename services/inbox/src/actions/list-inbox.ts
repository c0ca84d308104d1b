import { LIMITS } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import { ownMentionKeys } from "../own-mention-keys.ts";
import { readInbox } from "../read-inbox.ts";

export function listInbox(dependencies: InboxDependencies): Handler<"inbox.list"> {
  const { node, markers } = dependencies;
  return async ({ params: { cursor, limit }, actor: { userId } }) => {
    const [marker, keys] = await Promise.all([markers.find(userId), ownMentionKeys(dependencies, userId)]);
    const query = { userId, keys: keys.all, marker, before: cursor, limit, unreadOnly: false };
    return { ...(await readInbox(node, query)), marker };
  };
}

export function getUnreadCount(dependencies: InboxDependencies): Handler<"inbox.getUnreadCount"> {
  const { node, markers } = dependencies;
  return async ({ actor: { userId } }) => {
    const [marker, keys] = await Promise.all([markers.find(userId), ownMentionKeys(dependencies, userId)]);
    const limit = LIMITS.mentionsCounted;
    const query = { userId, keys: keys.all, marker, before: undefined, limit, unreadOnly: true };
    return { unread: (await readInbox(node, query)).items.length };
  };
}
