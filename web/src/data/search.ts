import { latestMessages } from "@fanfare/client/store";
import type { Message, Params, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useActionQuery, useServerCache } from "./data-context.ts";
import { useLive } from "./frames.ts";

const STALE_AFTER_MS = 60_000;

export type Search = Omit<Params<"message.search">, "cursor" | "limit">;

export interface Found {
  messages: Message[];
  /** False if some messages aren't indexed yet. */
  isComplete: boolean;
}

/** Matching messages, newest first; null doesn't search. */
export function useSearch(search: Search | null): UseInfiniteQueryResult<Found> {
  const cache = useServerCache();
  const { store } = cache;
  const found = useInfiniteQuery({
    ...cache.pagedQuery("message.search", search ?? {}, "cursor", ({ nextCursor }) => nextCursor),
    staleTime: STALE_AFTER_MS,
    enabled: search !== null,
    select: ({ pages }) => ({
      messages: pages.flatMap(({ messages }) => messages),
      isComplete: pages.every(({ isComplete }) => isComplete),
    }),
  });
  // Events update the messages in the results.
  useLive(store, () => store.state.messages);
  const { data } = found;
  return {
    ...found,
    data: data && { ...data, messages: latestMessages(store.state, data.messages) },
  } as UseInfiniteQueryResult<Found>;
}

/** Whether the search has at least one criterion that the server can look up. */
export function isSearchable({ text = "", from, mentions, has = [] }: Search): boolean {
  return /[\p{L}\p{N}]/u.test(text) || from !== undefined || mentions !== undefined || has.length > 0;
}

/** Accounts whose name starts with the query, which needs at least two characters. */
export function useUserSearch(query: string): UseQueryResult<User[]> {
  const text = query.trim();
  return useActionQuery(
    "user.search",
    { query: text },
    {
      staleTime: STALE_AFTER_MS,
      enabled: text.length >= LIMITS.searchMinChars,
      select: ({ users }) => users,
    },
  );
}
