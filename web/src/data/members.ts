import { membersOf } from "@fanfare/client/store";
import type { Channel, Member, MemberChange, Nickname, User } from "@fanfare/contract";
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
import { useGroup } from "./groups.ts";
import { useLoaded, useStoreState } from "./store.ts";
import { useUserSearch } from "./search.ts";
import { useUsers } from "./people.ts";

const NO_MEMBERS: readonly Member[] = [];
const NO_NICKNAMES: Readonly<Record<string, Nickname>> = {};
const NO_CHANGES: readonly MemberChange[] = [];

/** By ID. */
export function useMembers(groupId: string): UseInfiniteQueryResult<Member[]> {
  const list = useInfiniteQuery({
    ...useServerCache().pagedQuery(
      "group.listMembers",
      { groupId, limit: LIMITS.pageMaxItems },
      "afterUserId",
      "nextUserId",
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

/** Keeps the nicknames and pictures of a group's members loaded. By user; only of those who have one there. */
export function useNicknames(groupId: string | null): Readonly<Record<string, Nickname>> {
  const { data } = useLoaded(
    "group.listNicknames",
    { groupId: groupId ?? "" },
    ({ nicknames }) => nicknames[groupId ?? ""],
    { enabled: groupId !== null },
  );
  return data ?? NO_NICKNAMES;
}

/** A user's nickname in a group whose nicknames are loaded. */
export function useNickname(groupId: string | null, userId: string | undefined): string | undefined {
  return useStoreState(({ nicknames }) => nicknames[groupId ?? ""]?.[userId ?? ""]?.nickname);
}

/** A user's picture: in a group whose nicknames are loaded, the one that they have there. */
export function useAvatarUrl(user: User | undefined, groupId: string | null): string | null {
  const inGroup = useStoreState(({ nicknames }) => nicknames[groupId ?? ""]?.[user?.id ?? ""]?.avatarUrl);
  return inGroup ?? user?.avatarUrl ?? null;
}

/** The latest joins and departures, newest first, if the channel shows them. */
export function useMemberChanges({ id, groupId }: Channel): readonly MemberChange[] {
  const group = useGroup(groupId ?? "");
  const { data } = useLoaded(
    "group.listMemberChanges",
    { groupId: groupId ?? "" },
    ({ memberChanges }) => memberChanges[groupId ?? ""],
    { enabled: group?.systemChannelId === id },
  );
  const shown = group?.systemChannelId === id ? data : undefined;
  const createdAt = group?.createdAt ?? "";
  // Its creation says who joined first.
  return useMemo(() => shown?.filter(({ at }) => at > createdAt) ?? NO_CHANGES, [shown, createdAt]);
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

  const search = useUserSearch(hasNextPage ? query : "");
  const accounts = search.data ?? [];
  const nicknames = useNicknames(groupId);
  const isNicknamed = (userId: string): boolean =>
    nicknames[userId]?.nickname?.toLowerCase().includes(query) === true;
  const nicknamed = hasNextPage && query !== "" ? Object.keys(nicknames).filter(isNicknamed) : [];
  const farNicknamed = useUsers(nicknamed.slice(0, LIMITS.usersPerSearch));
  const byId = new Map([...users, ...farNicknamed, ...accounts].map((user) => [user.id, user]));
  const others = [...new Set([...accounts, ...farNicknamed].map(({ id }) => id))].filter((id) =>
    loaded.every(({ userId }) => userId !== id),
  );
  const asked = useQueries({
    queries: others.map((userId) => ({
      ...cache.query("group.getMember", { groupId, userId }),
      retry: false,
    })),
  });
  const fromServer = asked.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ member: data.member, user: byId.get(others[index]!) }],
  );
  const hits = loaded.map((member) => ({ member, user: byId.get(member.userId) }));
  const isHit = ({ member: { userId }, user }: FoundMember): boolean =>
    isNicknamed(userId) || (user !== undefined && isNamed(user, query));
  const found = query === "" ? hits : hits.filter(isHit);
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
