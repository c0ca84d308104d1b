import type { Handler } from "@fanfare/kernel";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import { listUnread, withMentionCounts } from "../list-unread.ts";
import { ownMentionKeys } from "../own-mention-keys.ts";

export function listUnreadChannels(dependencies: InboxDependencies): Handler<"channel.listUnread"> {
  const { call } = dependencies.node;
  return async ({ params: { cursor }, actor: { userId } }) => {
    const [keys, unread] = await Promise.all([
      ownMentionKeys(dependencies, userId),
      listUnread(call, userId, cursor ?? null),
    ]);
    const channels = await withMentionCounts(call, userId, keys, unread.channels);
    return { channels, nextCursor: unread.nextCursor };
  };
}
