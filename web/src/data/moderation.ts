import type { AuditEntry, Ban, Invite, Params, WordFilter } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { ON_OPEN, useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { without } from "./lookup.ts";

/** All invites for those who manage invites, else the user's own. */
export function useInvites(groupId: string): UseQueryResult<Invite[]> {
  return useAsk("invite.list", { groupId }, { ...ON_OPEN, select: ({ invites }) => invites });
}

/** Who is banned, in the order of their ids, page by page. */
export function useBans(groupId: string): UseInfiniteQueryResult<Ban[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages(
      "group.listBans",
      { groupId, limit: LIMITS.pageMaxItems },
      "afterUserId",
      ({ nextUserId }) => nextUserId,
    ),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ bans }) => bans),
  });
}

const AUDIT_PAGE = 50;

/** Who has done what in the group, newest first, page by page. */
export function useAuditLog(
  groupId: string,
  filter: Pick<Params<"group.auditLog">, "actorId" | "action"> = {},
): UseInfiniteQueryResult<AuditEntry[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages(
      "group.auditLog",
      { groupId, limit: AUDIT_PAGE, ...filter },
      "beforeId",
      ({ entries, hasMore }) => (hasMore ? entries.at(-1)?.id : null),
    ),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
  });
}

/** Words that are not to be written in the group. */
export function useWordFilter(groupId: string): UseQueryResult<WordFilter> {
  return useAsk("group.getWordFilter", { groupId }, { ...ON_OPEN, select: ({ wordFilter }) => wordFilter });
}

export const moderationEffects: Effects = {
  "invite.create": {
    after(cache, { groupId }, { invite }) {
      cache.patch("invite.list", ({ invites }) => ({ invites: [...invites, invite] }), { groupId });
    },
  },
  "invite.revoke": {
    after(cache, { groupId, code }) {
      cache.patchList(
        "invite.list",
        "invites",
        (invites) => without(invites, (invite) => invite.code === code),
        { groupId },
      );
    },
  },
  "group.ban": { after: (cache, { groupId }) => cache.refetch("group.listBans", { groupId }) },
  "group.unban": {
    after(cache, { groupId, userId }) {
      cache.patchList("group.listBans", "bans", (bans) => without(bans, (ban) => ban.userId === userId), {
        groupId,
      });
    },
  },
  "group.setWordFilter": {
    after: (cache, { groupId }, answer) => cache.put("group.getWordFilter", { groupId }, answer),
  },
};
