import type { User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useSyncExternalStore } from "react";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import type { On } from "./connection.ts";
import { Lookup } from "./lookup.ts";
import { perCache } from "./per-cache.ts";

const MAX_USERS = 5000;

/** The profiles that were shown. */
export const usersOf = perCache(
  ({ client }) =>
    new Lookup<User>({
      max: MAX_USERS,
      perCall: LIMITS.usersPerLookup,
      async load(userIds) {
        const { users } = await client.call("user.getMany", { userIds });
        return new Map(users.map((user) => [user.id, user]));
      },
    }),
);

/** The profile of a user; undefined until it is known. Many at once make one call. */
export function useUser(userId: string | null | undefined): User | undefined {
  const users = usersOf(useServerCache());
  const user = useSyncExternalStore(users.subscribe, () => (userId ? users.get(userId) : undefined));
  useEffect(() => {
    if (userId && user === undefined) users.want(userId);
  }, [users, userId, user]);
  return user;
}

/** Those of several users whose profiles are known already. Give the same array until the users are others. */
export function useUsers(userIds: readonly string[]): User[] {
  const users = usersOf(useServerCache());
  // Its value only says when to look again.
  useSyncExternalStore(users.subscribe, users.count);
  useEffect(() => {
    for (const id of userIds) users.want(id);
  }, [users, userIds]);
  return userIds.flatMap((id) => users.get(id) ?? []);
}

export function listenUsers(cache: ServerCache, on: On): void {
  const users = usersOf(cache);
  on("user.updated", ({ user }) => {
    if (users.get(user.id) !== undefined) users.put([[user.id, user]]);
  });
  on("ready", () => users.refresh());
  on("resync", () => users.refresh());
}
