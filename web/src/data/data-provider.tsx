import type { FanfareClient } from "@fanfare/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { DataContext, newQueryClient } from "./data-context.ts";
import { ServerCache } from "./cache.ts";
import { listenChannels } from "./channels.ts";
import { listenDirects } from "./directs.ts";
import { listenFriends } from "./friends.ts";
import { listenGroups } from "./groups.ts";
import { listenInbox } from "./inbox.ts";
import { listenIntegrations } from "./integrations.ts";
import type { On } from "./connection.ts";
import { listenMe } from "./me.ts";
import { listenMembers } from "./members.ts";
import { listenMessages } from "./channel-messages.ts";
import { listenNotifications } from "./notifications.ts";
import { listenOverrides, listenPermissions } from "./permissions.ts";
import { listenOwnReactions } from "./own-reactions.ts";
import { listenPins } from "./pins.ts";
import { listenServerNotices } from "./server-notices.ts";
import { listenRoles } from "./roles.ts";
import { listenSearch } from "./search.ts";
import { listenThreads } from "./threads.ts";
import { listenTyping } from "./typing.ts";
import { listenUnread } from "./unread.ts";
import { listenUsers } from "./users.ts";

/** Everything below may ask for data of the user whose client this is; nothing of it outlives the client. */
export function DataProvider({ client, children }: { client: FanfareClient; children: ReactNode }) {
  const cache = useMemo(() => new ServerCache(client, newQueryClient()), [client]);
  useEffect(() => startLive(cache), [cache]);
  return (
    <QueryClientProvider client={cache.queries}>
      <DataContext value={cache}>{children}</DataContext>
    </QueryClientProvider>
  );
}

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
