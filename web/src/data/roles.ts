import type { Role } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { useAsk } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { byId, changed, withItem, without } from "./lookup.ts";

/** The roles of a group, the highest first. */
export function useRoles(groupId: string): UseQueryResult<Role[]> {
  return useAsk("role.list", { groupId }, { select: ({ roles }) => roles.toReversed() });
}

const lowestFirst = (a: Role, b: Role): number => a.position - b.position || byId(a, b);

export function listenRoles(cache: ServerCache, on: On): void {
  on("role.created", ({ role }) => putRole(cache, role));
  on("role.updated", ({ role }) => putRole(cache, role));
  on("role.deleted", ({ groupId, roleId }) => dropRole(cache, groupId, roleId));
  on("role.reordered", ({ groupId, positions }) => {
    const positionOf = new Map(positions.map(({ roleId, position }) => [roleId, position]));
    cache.patch(
      "role.list",
      ({ roles }) => ({
        roles: changed(
          roles,
          ({ id, position }) => (positionOf.get(id) ?? position) !== position,
          (role) => ({ ...role, position: positionOf.get(role.id)! }),
        ).toSorted(lowestFirst),
      }),
      { groupId },
    );
  });
  on("group.left", ({ groupId }) => cache.drop("role.list", { groupId }));
  on("group.deleted", ({ groupId }) => cache.drop("role.list", { groupId }));
}

function putRole(cache: ServerCache, role: Role): void {
  cache.patchList(
    "role.list",
    "roles",
    (roles) => withItem(roles, role, ({ id }) => id === role.id, lowestFirst),
    { groupId: role.groupId },
  );
}

function dropRole(cache: ServerCache, groupId: string, roleId: string): void {
  cache.patchList("role.list", "roles", (roles) => without(roles, ({ id }) => id === roleId), { groupId });
}

const answered = {
  after: (cache: ServerCache, _: unknown, { role }: { role: Role }) => putRole(cache, role),
};

export const roleEffects: Effects = {
  "role.create": answered,
  "role.update": answered,
  "role.delete": { after: (cache, { groupId, roleId }) => dropRole(cache, groupId, roleId) },
  "role.reorder": {
    before(cache, { groupId, roleIds }) {
      const rank = new Map(roleIds.map((id, index) => [id, index]));
      cache.patch(
        "role.list",
        ({ roles }) => ({ roles: roles.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0)) }),
        { groupId },
      );
      return () => cache.refetch("role.list", { groupId });
    },
    after: (cache, { groupId }, { roles }) => cache.put("role.list", { groupId }, { roles }),
  },
};
