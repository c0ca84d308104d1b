import type { ChannelState } from "@fanfare/contract";
import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import type { On } from "./connection.ts";

/** The threads of a channel, or those that were put away: in which something was written last first, page by page. */
export function useThreads(channelId: string, archived = false): UseInfiniteQueryResult<ChannelState[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages(
      "channel.listThreads",
      { channelId, archived },
      "cursor",
      ({ nextCursor }) => nextCursor,
    ),
    select: ({ pages }) => pages.flatMap(({ channels }) => channels),
  });
}

export function listenThreads(cache: ServerCache, on: On): void {
  const doubt = (parentId: string | null): void => {
    if (parentId !== null) cache.refetchSoon("channel.listThreads", { channelId: parentId });
  };
  on("channel.created", ({ channel }) => doubt(channel.parentId));
  on("channel.updated", ({ channel }) => doubt(channel.parentId));
  // What was written last stands first.
  on("message.created", ({ channelId }) => {
    cache.patch("channel.listThreads", (page, { cursor }) => {
      const index = page.channels.findIndex(({ id }) => id === channelId);
      if (index === -1 || (index === 0 && cursor === undefined)) return page;
      // From another page it comes by asking again.
      if (cursor !== undefined) doubt(page.channels[index]!.parentId);
      return { ...page, channels: [page.channels[index]!, ...page.channels.toSpliced(index, 1)] };
    });
  });
}

export const threadEffects: Effects = {
  "channel.openThread": {
    after(cache, { channelId }, { channel }) {
      cache.put("channel.get", { channelId: channel.id }, { channel });
      cache.refetchSoon("channel.listThreads", { channelId });
    },
  },
};
