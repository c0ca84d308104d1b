import type { Override } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useAsk } from "./data-context.ts";
import type { Effects } from "./effect.ts";
import type { On } from "./live-on.ts";
import { ON_OPEN } from "./query-client.ts";

/** What a channel allows and denies, to whom. */
export function useOverrides(channelId: string): UseQueryResult<Override[]> {
  return useAsk("channel.listOverrides", { channelId }, { ...ON_OPEN, select: ({ overrides }) => overrides });
}

export function listenOverrides(cache: ServerCache, on: On): void {
  on("channel.updated", ({ channel }) =>
    cache.refetchSoon("channel.listOverrides", { channelId: channel.id }),
  );
}

const answered = {
  after(cache: ServerCache, { channelId }: { channelId: string }, { overrides }: { overrides: Override[] }) {
    cache.put("channel.listOverrides", { channelId }, { overrides });
  },
};

export const overrideEffects: Effects = {
  "channel.setOverride": answered,
  "channel.removeOverride": answered,
};
