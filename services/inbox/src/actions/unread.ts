import type { Handler } from "@fanfare/kernel";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import { listUnread, withMentionCounts } from "../list-unread.ts";
import { mentionKeys } from "../own-mention-keys.ts";

export function listUnreadChannels(dependencies: InboxDependencies): Handler<"channel.listUnread"> {
  const { call } = dependencies.node;
  return async ({ params: { cursor }, actor: { userId } }) => {
    const [suppressed, unread] = await Promise.all([
      dependencies.settings.listSuppressed(userId),
      listUnread(dependencies, userId, cursor ?? null),
    ]);
    const keys = mentionKeys(userId, unread.places, suppressed);
    const channels = await withMentionCounts(call, userId, keys, unread.channels);
    return { channels, nextCursor: unread.nextCursor };
  };
}
