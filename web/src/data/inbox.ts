import type { InboxItem, InboxMarker, Message, Result } from "@fanfare/contract";
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { changed, without } from "./lookup.ts";
import type { On } from "./connection.ts";
import { withReactions } from "./reactions.ts";

/** Messages that mention the user, newest first, page by page. */
export function useInbox(): UseInfiniteQueryResult<InboxItem[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages("inbox.list", {}, "cursor", ({ nextCursor }) => nextCursor),
    select: selectItems,
  });
}

function selectItems({ pages }: InfiniteData<Result<"inbox.list">>): InboxItem[] {
  return pages.flatMap(({ items }) => items);
}

/** At most 100, which is 100 or more. */
export function useInboxUnreadCount(): UseQueryResult<number> {
  return useAsk("inbox.getUnreadCount", {}, { select: ({ unread }) => unread });
}

const RECOUNT_AFTER_MS = 500;

export function listenInbox(cache: ServerCache, on: On): void {
  const { client } = cache;
  const doubt = (): void => {
    cache.refetchSoon("inbox.list");
    cache.refetchSoon("inbox.getUnreadCount");
  };
  /** Messages come and go all the time; where nothing is unread they change nothing. */
  const recount = (): void => {
    const { unread } = cache.read("inbox.getUnreadCount", {}) ?? { unread: 0 };
    if (unread > 0) cache.refetchSoon("inbox.getUnreadCount", {}, 1, RECOUNT_AFTER_MS);
  };
  on("inbox.added", doubt);
  on("message.created", ({ messages }) => {
    const mayBeIn = ({ mentions, authorId }: Message): boolean =>
      mentions !== undefined &&
      authorId !== client.user?.id &&
      (mentions.everyone || mentions.roleIds.length > 0);
    if (messages.some(mayBeIn)) doubt();
  });
  on("message.changed", ({ message }) => {
    const isHeld = cache
      .held("inbox.list")
      .some(({ answer }) => answer.items.some((item) => item.message.id === message.id));
    if (message.editedAt !== null && (isHeld || message.mentions !== undefined)) doubt();
    patchItems(cache, (items) =>
      changed(
        items,
        (item) => item.message.id === message.id,
        (item) => ({ ...item, message }),
      ),
    );
  });
  on("message.deleted", ({ message }) => {
    patchItems(cache, (items) => without(items, (item) => item.message.id === message.id));
    recount();
  });
  on("reaction.changed", ({ messageId, rev, reactions }) => {
    patchItems(cache, (items) =>
      changed(
        items,
        (item) => item.message.id === messageId && item.message.rev < rev,
        (item) => ({ ...item, message: withReactions(item.message, rev, reactions) }),
      ),
    );
  });
  on("inbox.updated", ({ marker }) => hearMarker(cache, marker));
  on("readMarker.updated", ({ channelId, lastReadSeq }) => {
    patchItems(cache, (items) =>
      changed(
        items,
        ({ unread, message }) => unread && message.channelId === channelId && message.seq <= lastReadSeq,
        (item) => ({ ...item, unread: false }),
      ),
    );
    recount();
  });
  on("channel.deleted", doubt);
  on("group.left", doubt);
  on("group.joined", doubt);
}

function hearMarker(cache: ServerCache, marker: InboxMarker): void {
  const { readUpToId, clearedUpToId } = marker;
  cache.patch("inbox.list", (page) => {
    const kept = without(page.items, ({ message }) => clearedUpToId !== null && message.id <= clearedUpToId);
    const items = changed(
      kept,
      ({ unread, message }) => unread && readUpToId !== null && message.id <= readUpToId,
      (item) => ({ ...item, unread: false }),
    );
    return { ...page, items, marker };
  });
  cache.refetchSoon("inbox.getUnreadCount");
}

function patchItems(cache: ServerCache, change: (items: InboxItem[]) => InboxItem[]): void {
  cache.patchList("inbox.list", "items", change);
}

const marked = {
  after: (cache: ServerCache, _: unknown, { marker }: { marker: InboxMarker }) => hearMarker(cache, marker),
};
const manyRead = {
  after(cache: ServerCache) {
    cache.refetchSoon("channel.listUnread");
    cache.refetchSoon("inbox.list");
    cache.refetchSoon("inbox.getUnreadCount");
  },
};

export const inboxEffects: Effects = {
  "inbox.markRead": marked,
  "inbox.clear": marked,
  "inbox.markGroupRead": manyRead,
  "inbox.markAllRead": manyRead,
};
