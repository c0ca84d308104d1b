import type { Member } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { crowdOf } from "./groups.ts";
import { changed, withItem, without } from "./lookup.ts";

/** The members of a group in the order of their ids, page by page: `fetchNextPage`, `hasNextPage`. */
export function useMembers(groupId: string): UseInfiniteQueryResult<Member[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages(
      "group.listMembers",
      { groupId, limit: LIMITS.pageMaxItems },
      "afterUserId",
      ({ nextUserId }) => nextUserId,
    ),
    select: ({ pages }) => pages.flatMap(({ members }) => members),
  });
}

/** One member; an error MEMBER_NOT_FOUND for who is none. Many at once make one call. */
export function useMember(groupId: string, userId: string): UseQueryResult<Member> {
  const cache = useServerCache();
  return useQuery({
    ...cache.ask("group.getMember", { groupId, userId }),
    initialData: () => {
      const member = heldMember(cache, groupId, userId);
      return member && { member };
    },
    select: ({ member }) => member,
  });
}

function heldMember(cache: ServerCache, groupId: string, userId: string): Member | undefined {
  for (const { answer } of cache.held("group.listMembers", { groupId })) {
    const member = answer.members.find((held) => held.userId === userId);
    if (member !== undefined) return member;
  }
  return undefined;
}

export function listenMembers(cache: ServerCache, on: On): void {
  on("member.joined", ({ groupId, members, memberCount }) => {
    // Heard before groups.ts counts anew: what is missing between the two was not listed.
    const unlisted = memberCount - crowdOf(cache, groupId) - members.length;
    for (const member of members) addMember(cache, member);
    if (unlisted > 0) cache.refetchSoon("group.listMembers", { groupId }, memberCount);
  });
  on("member.left", ({ groupId, userIds, memberCount }) => {
    const unlisted = crowdOf(cache, groupId) - memberCount - userIds.length;
    for (const userId of userIds) dropMember(cache, groupId, userId);
    if (unlisted > 0) cache.refetchSoon("group.listMembers", { groupId }, memberCount);
  });
  on("member.updated", ({ member }) => putMember(cache, member));
  on("role.deleted", ({ groupId, roleId }) => {
    const hasRole = ({ roleIds }: Member): boolean => roleIds.includes(roleId);
    const strip = (member: Member): Member => ({
      ...member,
      roleIds: member.roleIds.filter((id) => id !== roleId),
    });
    cache.patchList("group.listMembers", "members", (members) => changed(members, hasRole, strip), {
      groupId,
    });
    cache.patch(
      "group.getMember",
      (answer) => (hasRole(answer.member) ? { member: strip(answer.member) } : answer),
      {
        groupId,
      },
    );
  });
  const left = (groupId: string): void => {
    cache.drop("group.listMembers", { groupId });
    cache.drop("group.getMember", { groupId });
  };
  on("group.left", ({ groupId }) => left(groupId));
  on("group.deleted", ({ groupId }) => left(groupId));
}

function addMember(cache: ServerCache, member: Member): void {
  const { groupId, userId } = member;
  cache.patch(
    "group.listMembers",
    (page, { afterUserId = "" }) => {
      const isHere = userId > afterUserId && (page.nextUserId === null || userId <= page.nextUserId);
      if (!isHere) return page;
      return {
        ...page,
        members: withItem(
          page.members,
          member,
          (held) => held.userId === userId,
          (a, b) => (a.userId < b.userId ? -1 : 1),
        ),
      };
    },
    { groupId },
  );
  putMember(cache, member);
  // Who was no member a moment ago may have been asked for.
  cache.refetchSoon("group.getMember", { groupId, userId });
}

function putMember(cache: ServerCache, member: Member): void {
  const { groupId, userId } = member;
  cache.patchList(
    "group.listMembers",
    "members",
    (members) =>
      changed(
        members,
        (held) => held.userId === userId,
        () => member,
      ),
    { groupId },
  );
  cache.patch("group.getMember", () => ({ member }), { groupId, userId });
}

function dropMember(cache: ServerCache, groupId: string, userId: string): void {
  cache.patchList(
    "group.listMembers",
    "members",
    (members) => without(members, (held) => held.userId === userId),
    { groupId },
  );
  cache.refetchSoon("group.getMember", { groupId, userId });
}

const answered = {
  after: (cache: ServerCache, _: unknown, { member }: { member: Member }) => putMember(cache, member),
};
const putOut = {
  after(cache: ServerCache, { groupId, userId }: { groupId: string; userId: string }) {
    dropMember(cache, groupId, userId);
  },
};

export const memberEffects: Effects = {
  "group.mute": answered,
  "group.unmute": answered,
  "role.assign": answered,
  "role.unassign": answered,
  "group.kick": putOut,
};
