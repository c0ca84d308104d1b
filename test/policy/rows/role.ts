import { row, groupOwner, inGroup, targetOf } from "../row.ts";

const NOT_THERE = "0".repeat(24);
const ofRole = { ...groupOwner, owner: "ROLE_NOT_FOUND" } as const;

/** A role that there is: services/group/test/roles.test.ts. */
export const roleRows = {
  "role.list": row("role.list", inGroup, ({ group }) => ({ groupId: group.id })),
  "role.create": row("role.create", groupOwner, ({ group }) => ({ groupId: group.id, name: "Moderator" })),
  "role.setDefault": row("role.setDefault", groupOwner, ({ group }) => ({
    groupId: group.id,
    permissions: 1,
  })),
  "role.update": row("role.update", ofRole, ({ group }) => ({ groupId: group.id, roleId: NOT_THERE })),
  "role.delete": row("role.delete", ofRole, ({ group }) => ({ groupId: group.id, roleId: NOT_THERE })),
  "role.reorder": row("role.reorder", ofRole, ({ group }) => ({ groupId: group.id, roleIds: [NOT_THERE] })),
  "role.assign": row("role.assign", ofRole, (world) => ({ ...targetOf(world), roleId: NOT_THERE })),
  "role.unassign": row("role.unassign", ofRole, (world) => ({ ...targetOf(world), roleId: NOT_THERE })),
};
