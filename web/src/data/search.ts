import { latestMessages } from "@fanfare/client/store";
import type { Message, MessageContext, Params, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ServerCache } from "./cache.ts";
import { useActionQuery, useServerCache } from "./data-context.ts";
import { useLive } from "./frames.ts";
import { updateMatching } from "./lookup.ts";
import { useMe } from "./me.ts";

const STALE_AFTER_MS = 60_000;

export type Search = Omit<Params<"message.search">, "cursor" | "limit" | "withContext">;

export interface Found {
  messages: Message[];
  /** What was written around them. */
  context: MessageContext[];
  /** False if some messages aren't indexed yet. */
  isComplete: boolean;
}

/** Matching messages, newest first; null doesn't search. */
export function useSearch(search: Search | null): UseInfiniteQueryResult<Found> {
  const cache = useServerCache();
  const { store } = cache;
  const found = useInfiniteQuery({
    ...cache.pagedQuery("message.search", { ...search, withContext: true }, "cursor", "nextCursor"),
    staleTime: STALE_AFTER_MS,
    enabled: search !== null,
    select: ({ pages }) => ({
      messages: pages.flatMap(({ messages }) => messages),
      context: pages.flatMap(({ context = [] }) => context),
      isComplete: pages.every(({ isComplete }) => isComplete),
    }),
  });
  // Events update the messages in the results.
  useLive(store, () => store.state.messages);
  useEffect(() => {
    const update = ({ message }: { message: Message }) => updateContext(cache, message);
    const endChanges = cache.client.on("message.changed", update);
    const endDeletions = cache.client.on("message.deleted", update);
    return () => {
      endChanges();
      endDeletions();
    };
  }, [cache]);
  const { data } = found;
  return {
    ...found,
    data: data && { ...data, messages: latestMessages(store.state, data.messages) },
  } as UseInfiniteQueryResult<Found>;
}

/** Messages around the results aren't in the state, which has only whole ones. */
function updateContext(cache: ServerCache, { id, content, deletedAt }: Message): void {
  const latest = (one: MessageContext["before"]) => {
    if (one?.id !== id) return one;
    return deletedAt === null ? { ...one, content } : null;
  };
  cache.patchList(
    "message.search",
    "context",
    (context) =>
      context &&
      updateMatching(
        context,
        ({ before, after }) => before?.id === id || after?.id === id,
        (one) => ({ ...one, before: latest(one.before), after: latest(one.after) }),
      ),
  );
}

/** Whether the search has at least one criterion that the server can look up. */
export function isSearchable({ text = "", from, mentions, has = [] }: Search): boolean {
  return /[\p{L}\p{N}]/u.test(text) || from !== undefined || mentions !== undefined || has.length > 0;
}

/** Accounts whose name starts with the query, which needs at least two characters. Guests can't search accounts. */
export function useUserSearch(query: string): UseQueryResult<User[]> {
  const text = query.trim();
  const isAccount = useMe().kind === "member";
  return useActionQuery(
    "user.search",
    { query: text },
    {
      staleTime: STALE_AFTER_MS,
      enabled: isAccount && text.length >= LIMITS.searchMinChars,
      select: ({ users }) => users,
    },
  );
}
