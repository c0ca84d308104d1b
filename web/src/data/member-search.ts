import type { Member, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useQueries } from "@tanstack/react-query";
import { useEffect } from "react";
import { useServerCache } from "./data-context.ts";
import { useMe } from "./me.ts";
import { useMembers } from "./members.ts";
import { useUserSearch } from "./search.ts";
import { useUsers } from "./users.ts";

/** Groups up to this size are searched as a whole here; of larger ones, accounts are searched by the server as well. */
const MAX_LOADED = 1000;

export interface FoundMember {
  member: Member;
  /** Undefined until it is known. */
  user: User | undefined;
}

/** Members whose name has the text in it, or all that are loaded without one. */
export function useMemberSearch(
  groupId: string,
  text: string,
): { found: FoundMember[]; members: ReturnType<typeof useMembers> } {
  const cache = useServerCache();
  const members = useMembers(groupId);
  const loaded = members.data ?? [];
  const query = text.trim().toLowerCase();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = members;
  const needsMore = query !== "" && hasNextPage && !isFetchingNextPage && loaded.length < MAX_LOADED;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  const users = useUsers(loaded.map(({ userId }) => userId));
  const byId = new Map(users.map((user) => [user.id, user]));

  // Guests search no accounts.
  const isAccount = useMe().kind === "member";
  const asks = hasNextPage && isAccount && query.length >= LIMITS.searchMinChars;
  const accounts = useUserSearch(asks ? query : "").data ?? [];
  const others = accounts.filter(({ id }) => loaded.every(({ userId }) => userId !== id));
  const asked = useQueries({
    queries: others.map(({ id }) => ({
      ...cache.ask("group.getMember", { groupId, userId: id }),
      retry: false,
    })),
  });
  const fromServer = asked.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ member: data.member, user: others[index] }],
  );
  const hits = loaded.map((member) => ({ member, user: byId.get(member.userId) }));
  const found = query === "" ? hits : hits.filter(({ user }) => user !== undefined && isNamed(user, query));
  return { found: [...found, ...fromServer], members };
}

function isNamed({ nickname, username }: User, query: string): boolean {
  return nickname.toLowerCase().includes(query) || (username?.toLowerCase().includes(query) ?? false);
}
