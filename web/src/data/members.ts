import { membersOf } from "@fanfare/client/store";
import type { Member, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQueries,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useServerCache } from "./data-context.ts";
import { useStoreState } from "./store.ts";
import { useMe } from "./me.ts";
import { useUserSearch } from "./search.ts";
import { useUsers } from "./people.ts";

const NO_MEMBERS: readonly Member[] = [];

/** By ID. */
export function useMembers(groupId: string): UseInfiniteQueryResult<Member[]> {
  const list = useInfiniteQuery({
    ...useServerCache().pagedQuery(
      "group.listMembers",
      { groupId, limit: LIMITS.pageMaxItems },
      "afterUserId",
      ({ nextUserId }) => nextUserId,
    ),
    select: ({ pages }) => pages.at(-1)?.nextUserId ?? null,
  });
  const known = useStoreState((state) => membersOf(state, groupId) ?? NO_MEMBERS);
  const { data: upTo } = list;
  const data = useMemo(
    () => (upTo === undefined ? undefined : known.filter(({ userId }) => upTo === null || userId <= upTo)),
    [known, upTo],
  );
  return { ...list, data } as UseInfiniteQueryResult<Member[]>;
}

/** Fails with MEMBER_NOT_FOUND for non-members. Concurrent requests are batched. */
export function useMember(groupId: string, userId: string, { enabled = true } = {}): UseQueryResult<Member> {
  const cache = useServerCache();
  const known = useStoreState(({ members }) => members[groupId]?.[userId]);
  const asked = useQuery({
    ...cache.query("group.getMember", { groupId, userId }),
    enabled,
    initialData: () => known && { member: known },
    select: ({ member }) => member,
  });
  return (known === undefined ? asked : { ...asked, data: known }) as UseQueryResult<Member>;
}

/** Groups up to this size are searched locally; for larger ones the server also searches accounts. */
const MAX_LOADED = 1000;

export interface FoundMember {
  member: Member;
  /** Undefined while loading. */
  user: User | undefined;
}

/** Members whose name contains the text; without a text, all loaded members. */
export function useMemberSearch(
  groupId: string,
  text: string,
): {
  found: FoundMember[];
  members: ReturnType<typeof useMembers>;
  /** Whether all matching members have been found. */
  isComplete: boolean;
} {
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

  // Guests can't search accounts.
  const isAccount = useMe().kind === "member";
  const asks = hasNextPage && isAccount && query.length >= LIMITS.searchMinChars;
  const search = useUserSearch(asks ? query : "");
  const accounts = search.data ?? [];
  const others = accounts.filter(({ id }) => loaded.every(({ userId }) => userId !== id));
  const asked = useQueries({
    queries: others.map(({ id }) => ({
      ...cache.query("group.getMember", { groupId, userId: id }),
      retry: false,
    })),
  });
  const fromServer = asked.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ member: data.member, user: others[index] }],
  );
  const hits = loaded.map((member) => ({ member, user: byId.get(member.userId) }));
  const found = query === "" ? hits : hits.filter(({ user }) => user !== undefined && isNamed(user, query));
  const isComplete =
    members.data !== undefined &&
    !needsMore &&
    !isFetchingNextPage &&
    users.length === loaded.length &&
    !search.isLoading &&
    asked.every(({ isLoading }) => !isLoading);
  return { found: [...found, ...fromServer], members, isComplete };
}

function isNamed({ nickname, username }: User, query: string): boolean {
  return nickname.toLowerCase().includes(query) || (username?.toLowerCase().includes(query) ?? false);
}
