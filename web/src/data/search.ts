import type { Message, Params, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useAsk, useServerCache } from "./data-context.ts";
import { without } from "./lookup.ts";
import type { On } from "./connection.ts";

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
  return useInfiniteQuery({
    ...cache.askPages("message.search", search ?? {}, "cursor", ({ nextCursor }) => nextCursor),
    staleTime: STALE_AFTER_MS,
    enabled: search !== null,
    select: ({ pages }) => ({
      messages: pages.flatMap(({ messages }) => messages),
      isComplete: pages.every(({ isComplete }) => isComplete),
    }),
  });
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

export function listenSearch(cache: ServerCache, on: On): void {
  on("message.deleted", ({ message }) => {
    cache.patchList("message.search", "messages", (messages) =>
      without(messages, ({ id }) => id === message.id),
    );
  });
}
