import { row, targetOf, type Exceptions } from "../row.ts";

const NOT_THERE = "0".repeat(24);
// Existing roles are tested in services/group/test/roles.test.ts.
const noRole: Exceptions = { why: "there is no such role", allowed: "ROLE_NOT_FOUND" };

export const roleRows = {
  "role.list": row("role.list", ({ group }) => ({ groupId: group.id })),
  "role.create": row("role.create", ({ group }) => ({ groupId: group.id, name: "Helpers" })),
  "role.setDefault": row("role.setDefault", ({ group }) => ({ groupId: group.id, permissions: 1 })),
  "role.update": row("role.update", ({ group }) => ({ groupId: group.id, roleId: NOT_THERE }), noRole),
  "role.delete": row("role.delete", ({ group }) => ({ groupId: group.id, roleId: NOT_THERE }), noRole),
  "role.reorder": row("role.reorder", ({ group }) => ({ groupId: group.id, roleIds: [NOT_THERE] }), noRole),
  "role.assign": row("role.assign", (world) => ({ ...targetOf(world), roleId: NOT_THERE }), noRole),
  "role.unassign": row("role.unassign", (world) => ({ ...targetOf(world), roleId: NOT_THERE }), noRole),
};
