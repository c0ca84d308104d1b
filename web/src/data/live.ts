import type { ServerCache } from "./cache.ts";
import { listenChannels } from "./channels.ts";
import { listenDirects } from "./directs.ts";
import { listenFriends } from "./friends.ts";
import { listenGroups } from "./groups.ts";
import { listenInbox } from "./inbox.ts";
import { listenIntegrations } from "./integrations.ts";
import type { On } from "./live-on.ts";
import { listenMe } from "./me.ts";
import { listenMembers } from "./members.ts";
import { listenMessages } from "./messages.ts";
import { listenNotifications } from "./notifications.ts";
import { listenOverrides } from "./overrides.ts";
import { listenOwnReactions } from "./own-reactions.ts";
import { listenPermissions } from "./permissions.ts";
import { listenPins } from "./pins.ts";
import { listenRoles } from "./roles.ts";
import { listenSearch } from "./search.ts";
import { listenServerNotices } from "./server-notices.ts";
import { listenThreads } from "./threads.ts";
import { listenTyping } from "./typing.ts";
import { listenUnread } from "./unread.ts";
import { listenUsers } from "./users.ts";

/** Members are counted against the group as it was before, so they come before groups. */
const LISTENERS: ((cache: ServerCache, on: On) => void | (() => void))[] = [
  listenMe,
  listenUsers,
  listenMembers,
  listenPermissions,
  listenGroups,
  listenRoles,
  // Unread is looked up in what is held of a channel, so it comes before channels.
  listenUnread,
  listenDirects,
  listenThreads,
  listenChannels,
  listenOverrides,
  listenFriends,
  listenInbox,
  listenNotifications,
  listenPins,
  listenMessages,
  listenSearch,
  listenOwnReactions,
  listenIntegrations,
  listenTyping,
  listenServerNotices,
];

/** A server that could not tell everything to many in the same moment is not asked by all of them in the next one. */
const RESYNC_SPREAD_MS = 2000;

/**
 * Keeps the cache as the server would answer: by events, and by asking again for what is shown after events may have been missed.
 * Returns the function that ends it.
 */
export function startLive(cache: ServerCache): () => void {
  const ends: (() => void)[] = [];
  const on: On = (name, listener) => void ends.push(cache.client.on(name, listener));
  const askAgain = (): void => void cache.queries.invalidateQueries();
  let later: ReturnType<typeof setTimeout> | undefined;
  on("ready", askAgain);
  on("resync", () => {
    clearTimeout(later);
    later = setTimeout(askAgain, Math.random() * RESYNC_SPREAD_MS);
  });
  for (const listen of LISTENERS) {
    const end = listen(cache, on);
    if (end !== undefined) ends.push(end);
  }
  return () => {
    clearTimeout(later);
    cache.stopTimers();
    for (const end of ends) end();
  };
}
