import type { ChannelState } from "@fanfare/contract";
import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import type { Effects } from "./effect.ts";
import type { On } from "./live-on.ts";

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
    for (const { params, answer } of cache.held("channel.listThreads")) {
      if (answer.channels.some(({ id }) => id === channelId)) doubt(params.channelId);
    }
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
