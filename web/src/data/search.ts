import { latestMessages } from "@fanfare/client/store";
import type { Message, Params, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useAsk, useServerCache } from "./data-context.ts";

const STALE_AFTER_MS = 60_000;

export type Search = Omit<Params<"message.search">, "cursor" | "limit">;

export interface Found {
  messages: Message[];
  /** False: some messages are still to be indexed. */
  isComplete: boolean;
}

/** Messages that have all of this, newest first, page by page; null asks for nothing. */
export function useSearch(search: Search | null): UseInfiniteQueryResult<Found> {
  const cache = useServerCache();
  const { store } = cache;
  const found = useInfiniteQuery({
    ...cache.askPages("message.search", search ?? {}, "cursor", ({ nextCursor }) => nextCursor),
    staleTime: STALE_AFTER_MS,
    enabled: search !== null,
    select: ({ pages }) => ({
      messages: pages.flatMap(({ messages }) => messages),
      isComplete: pages.every(({ isComplete }) => isComplete),
    }),
  });
  // Events change the messages that were found.
  useSyncExternalStore(store.subscribe, () => store.state.messages);
  const { data } = found;
  return {
    ...found,
    data: data && { ...data, messages: latestMessages(store.state, data.messages) },
  } as UseInfiniteQueryResult<Found>;
}

/** Whether something can be searched for: words, an author, a mention or a trait. */
export function isSearchable({ text = "", from, mentions, has = [] }: Search): boolean {
  return /[\p{L}\p{N}]/u.test(text) || from !== undefined || mentions !== undefined || has.length > 0;
}

/** Accounts whose names begin so; nothing is asked for before two characters. */
export function useUserSearch(query: string): UseQueryResult<User[]> {
  const text = query.trim();
  return useAsk(
    "user.search",
    { query: text },
    {
      staleTime: STALE_AFTER_MS,
      enabled: text.length >= LIMITS.searchMinChars,
      select: ({ users }) => users,
    },
  );
}
