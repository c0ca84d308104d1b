import type { HeldToken, OwnUser, Passkey, Session, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useActionQuery, useServerCache, usePagedQuery } from "./data-context.ts";
import type { Effects } from "./lookup.ts";
import { useLoaded } from "./store.ts";

/** The current user; as stored at the last login until the server has responded. */
export function useMe(): OwnUser {
  const { client } = useServerCache();
  const { data } = useLoaded("user.me", {}, ({ me }) => me ?? undefined);
  const user = data ?? client.user;
  if (user === null) throw new Error("useMe is for components within a session.");
  return user;
}

/** Bots and webhooks whose tokens the user holds, newest first. */
export function useHeldTokens(): UseInfiniteQueryResult<HeldToken[]> {
  return usePagedQuery("bot.listTokens", {}, "tokens", "before", "nextBefore");
}

/** Newest first. */
export function useSessions(): UseQueryResult<Session[]> {
  return useActionQuery("user.listSessions", {}, { ...ON_OPEN, select: ({ sessions }) => sessions });
}

/** Oldest first. */
export function usePasskeys(): UseQueryResult<Passkey[]> {
  return useActionQuery("user.listPasskeys", {}, { ...ON_OPEN, select: ({ passkeys }) => passkeys });
}

export function useBlocked(options: { staleTime: number } = ON_OPEN): UseQueryResult<User[]> {
  return useQuery({ ...askBlocked(useServerCache()), ...options, select: ({ users }) => users });
}

/** From the session's state, because many list rows ask for it. */
export function useIsBlocked(userId: string): boolean {
  const { data = false } = useQuery({
    ...askBlocked(useServerCache()),
    select: ({ users }) => users.some(({ id }) => id === userId),
  });
  return data;
}

function askBlocked(cache: ServerCache) {
  return cache.allPagesQuery(
    "user.listBlocked",
    { limit: LIMITS.pageMaxItems },
    { param: "afterUserId", next: "nextUserId", list: "users" },
  );
}

export const accountEffects: Effects = {
  "user.revokeSession": {
    after(cache, { sessionId }) {
      cache.remove("user.listSessions", "sessions", ({ id }) => id === sessionId);
    },
  },
  "user.addPasskey": { after: (cache) => cache.refetch("user.listPasskeys") },
  "user.renamePasskey": { after: (cache) => cache.refetch("user.listPasskeys") },
  "user.removePasskey": {
    after(cache, { passkeyId }) {
      cache.remove("user.listPasskeys", "passkeys", ({ id }) => id === passkeyId);
    },
  },
  "bot.revokeToken": {
    after(cache, revoked) {
      cache.remove("bot.listTokens", "tokens", ({ kind, id }) => kind === revoked.kind && id === revoked.id);
    },
  },
  "user.block": { after: (cache) => cache.refetch("user.listBlocked") },
  "user.unblock": {
    after(cache, { userId }) {
      cache.remove("user.listBlocked", "users", ({ id }) => id === userId);
    },
  },
};
