import type { HeldToken, OwnUser, Session, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useAsk, useServerCache } from "./data-context.ts";
import { type Effects, without } from "./lookup.ts";
import { useLoaded } from "./store.ts";

/** The user who is logged in, as known at the last login until the server has answered. */
export function useMe(): OwnUser {
  const { client } = useServerCache();
  const { data } = useLoaded("user.me", {}, ({ me }) => me ?? undefined);
  const user = data ?? client.user;
  if (user === null) throw new Error("useMe is for components within a session.");
  return user;
}

/** Bots and webhooks whose tokens the user holds, newest first, page by page. */
export function useHeldTokens(): UseInfiniteQueryResult<HeldToken[]> {
  return useInfiniteQuery({
    ...useServerCache().askPages("bot.listTokens", {}, "before", ({ nextBefore }) => nextBefore),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ tokens }) => tokens),
  });
}

/** Where the user is logged in, newest first. */
export function useSessions(): UseQueryResult<Session[]> {
  return useAsk("user.listSessions", {}, { ...ON_OPEN, select: ({ sessions }) => sessions });
}

export function useBlocked(): UseQueryResult<User[]> {
  return useQuery({ ...askBlocked(useServerCache()), ...ON_OPEN, select: ({ users }) => users });
}

/** Whether the user has blocked another one, as it was known last: for what many rows of a list ask. */
export function useIsBlocked(userId: string): boolean {
  const { data = false } = useQuery({
    ...askBlocked(useServerCache()),
    select: ({ users }) => users.some(({ id }) => id === userId),
  });
  return data;
}

function askBlocked(cache: ServerCache) {
  return cache.askWhole(
    "user.listBlocked",
    { limit: LIMITS.pageMaxItems },
    { param: "afterUserId", next: "nextUserId", list: "users" },
  );
}

export const accountEffects: Effects = {
  "user.revokeSession": {
    after(cache, { sessionId }) {
      cache.patchList("user.listSessions", "sessions", (sessions) =>
        without(sessions, ({ id }) => id === sessionId),
      );
    },
  },
  "bot.revokeToken": {
    after(cache, revoked) {
      cache.patchList("bot.listTokens", "tokens", (tokens) =>
        without(tokens, ({ kind, id }) => kind === revoked.kind && id === revoked.id),
      );
    },
  },
  "user.block": { after: (cache) => cache.refetch("user.listBlocked") },
  "user.unblock": {
    after(cache, { userId }) {
      cache.patchList("user.listBlocked", "users", (users) => without(users, ({ id }) => id === userId));
    },
  },
};
