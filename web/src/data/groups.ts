import type { Group } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { useAsk } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { byId, changed, withItem, without } from "./lookup.ts";

/** The groups of the user, in the order in which they were made. */
export function useGroups(): UseQueryResult<Group[]> {
  return useAsk("group.listMine", {}, { select: selectGroups });
}

/** One of them; undefined while they are loaded, and where the user is no member. */
export function useGroup(groupId: string): Group | undefined {
  return useGroups().data?.find(({ id }) => id === groupId);
}

function selectGroups({ groups }: { groups: Group[] }): Group[] {
  return groups.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || byId(a, b));
}

export function listenGroups(cache: ServerCache, on: On): void {
  const gone = (groupId: string): void => {
    cache.patchList("group.listMine", "groups", (groups) => without(groups, ({ id }) => id === groupId));
  };
  const count = (groupId: string, memberCount: number): void => {
    cache.patchList("group.listMine", "groups", (groups) =>
      changed(
        groups,
        (group) => group.id === groupId && group.memberCount !== memberCount,
        (group) => ({ ...group, memberCount }),
      ),
    );
  };
  on("group.joined", ({ group }) => addGroup(cache, group));
  on("group.updated", ({ group }) => putGroup(cache, group));
  on("group.left", ({ groupId }) => gone(groupId));
  on("group.deleted", ({ groupId }) => gone(groupId));
  on("member.joined", ({ groupId, memberCount }) => count(groupId, memberCount));
  on("member.left", ({ groupId, memberCount }) => count(groupId, memberCount));
}

/** How many users hear of what happens in a group. */
export function crowdOf(cache: ServerCache, groupId: string): number {
  return cache.read("group.listMine", {})?.groups.find(({ id }) => id === groupId)?.memberCount ?? 1;
}

function addGroup(cache: ServerCache, group: Group): void {
  cache.patchList("group.listMine", "groups", (groups) =>
    withItem(groups, group, ({ id }) => id === group.id),
  );
}

function putGroup(cache: ServerCache, group: Group): void {
  cache.patchList("group.listMine", "groups", (groups) =>
    changed(
      groups,
      ({ id }) => id === group.id,
      () => group,
    ),
  );
}

const entered = {
  after: (cache: ServerCache, _: unknown, { group }: { group: Group }) => addGroup(cache, group),
};
const updated = {
  after: (cache: ServerCache, _: unknown, { group }: { group: Group }) => putGroup(cache, group),
};

export const groupEffects: Effects = {
  "group.create": entered,
  "invite.accept": entered,
  "group.update": updated,
  "group.transfer": updated,
  "group.setIcon": updated,
  "group.removeIcon": updated,
  "group.setRetention": updated,
  "role.setDefault": updated,
};
