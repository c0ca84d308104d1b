import type { Channel, ChannelState } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { heldChannel } from "./open-channels.ts";
import { without } from "./lookup.ts";
import type { On } from "./connection.ts";

const PARAMS = { limit: LIMITS.pageMaxItems } as const;

/** The direct channels of the user, of two and of several: those in which something was written last first. */
export function useDirects(): UseQueryResult<ChannelState[]> {
  return useQuery({ ...ask(useServerCache()), select: ({ channels }) => channels });
}

function ask(cache: ServerCache) {
  return cache.askWhole("channel.listDirect", PARAMS, {
    param: "cursor",
    next: "nextCursor",
    list: "channels",
  });
}

/** Whether a channel stands among the direct ones. */
const isDirect = ({ kind }: Channel): boolean => kind === "direct" || kind === "groupDirect";

export function listenDirects(cache: ServerCache, on: On): () => void {
  on("channel.created", ({ channel }) => {
    if (isDirect(channel)) cache.refetchSoon("channel.listDirect");
  });
  on("channel.closed", ({ channelId }) => dropDirect(cache, channelId));
  on("message.created", ({ channelId }) => {
    const [list] = cache.held("channel.listDirect");
    if (list === undefined) return;
    if (list.answer.channels.some(({ id }) => id === channelId)) return toTop(cache, channelId);
    // One that was closed is back with its next message.
    const unread = cache
      .read("channel.listUnread", {})
      ?.channels.find((held) => held.channelId === channelId);
    const held = heldChannel(cache, channelId);
    if (unread?.groupId === null || (held !== undefined && isDirect(held)))
      cache.refetchSoon("channel.listDirect");
  });
  // Of one that nothing is known of yet, it is known when what is unread was asked for.
  return cache.onAnswer("channel.listUnread", ({ channels }) => {
    const [direct] = cache.held("channel.listDirect");
    if (direct === undefined) return;
    const known = new Set(direct.answer.channels.map(({ id }) => id));
    if (channels.some(({ channelId, groupId }) => groupId === null && !known.has(channelId))) {
      cache.refetchSoon("channel.listDirect");
    }
  });
}

function toTop(cache: ServerCache, channelId: string): void {
  cache.patch("channel.listDirect", (answer) => {
    const index = answer.channels.findIndex(({ id }) => id === channelId);
    if (index < 1) return answer;
    return { ...answer, channels: [answer.channels[index]!, ...answer.channels.toSpliced(index, 1)] };
  });
}

function dropDirect(cache: ServerCache, channelId: string): void {
  cache.patchList("channel.listDirect", "channels", (channels) =>
    without(channels, ({ id }) => id === channelId),
  );
}

const opened = {
  after(cache: ServerCache, _: unknown, { channel }: { channel: ChannelState }) {
    cache.put("channel.get", { channelId: channel.id }, { channel });
    cache.patch("channel.listDirect", (answer) =>
      answer.channels.some(({ id }) => id === channel.id)
        ? answer
        : { ...answer, channels: [channel, ...answer.channels] },
    );
    cache.refetchSoon("channel.listDirect");
  },
};

export const directEffects: Effects = {
  "channel.openDirect": opened,
  "channel.createGroupDirect": opened,
  "channel.closeDirect": {
    before(cache, { channelId }) {
      dropDirect(cache, channelId);
      return () => cache.refetch("channel.listDirect");
    },
  },
};
