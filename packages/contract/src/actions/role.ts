import { z } from "zod";
import { mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { NO_PERMISSIONS } from "../permissions.ts";

const ofRole = z.object({ groupId: e.id, roleId: e.id });
const ofMember = ofRole.extend({ userId: e.id });
const managed = { permission: { rule: "group", can: "manageRoles" }, audited: "role" } as const;

/** Members can change only roles below their highest, and grant or revoke only permissions that they have, in channels too; otherwise FORBIDDEN. */
export const roleActions = {
  list: query({
    summary: "The roles of a group, the lowest first.",
    params: e.inGroup,
    result: z.object({ roles: z.array(e.RoleSchema) }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  create: mutation({
    summary: "Create a role below all others.",
    params: e.inGroup.extend({
      name: e.roleName,
      color: e.roleColor.default(null),
      permissions: e.rolePermissions.default(NO_PERMISSIONS),
      mentionable: z.boolean().default(false),
    }),
    result: z.object({ role: e.RoleSchema }),
    ...managed,
    botScope: "roles.manage",
    errors: ["LIMIT_REACHED"],
  }),
  update: mutation({
    summary: "Update a role.",
    params: ofRole.extend({
      name: e.roleName.optional(),
      color: e.roleColor.optional(),
      permissions: e.rolePermissions.optional(),
      mentionable: z.boolean().optional(),
    }),
    result: z.object({ role: e.RoleSchema }),
    ...managed,
    botScope: "roles.manage",
    errors: ["ROLE_NOT_FOUND"],
  }),
  setDefault: mutation({
    summary: "Update the default permissions of all members. Members can always see the group.",
    params: e.inGroup.extend({ permissions: e.rolePermissions }),
    result: z.object({ group: e.GroupSchema }),
    ...managed,
  }),
  delete: mutation({
    summary: "Delete a role and remove it from all members.",
    params: ofRole,
    ...managed,
    errors: ["ROLE_NOT_FOUND"],
  }),
  reorder: mutation({
    summary: "Reorder all roles of the group, lowest first.",
    params: e.inGroup.extend({ roleIds: z.array(e.id).min(1).max(LIMITS.rolesPerGroup) }),
    result: z.object({ roles: z.array(e.RoleSchema) }),
    ...managed,
    errors: ["ROLE_NOT_FOUND"],
  }),
  assign: mutation({
    summary: "Assign a role to a member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "manageRoles" },
    botScope: "roles.manage",
    audited: "user",
    errors: ["ROLE_NOT_FOUND", "MEMBER_NOT_FOUND", "LIMIT_REACHED"],
  }),
  unassign: mutation({
    summary: "Remove a role from a member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "manageRoles" },
    botScope: "roles.manage",
    audited: "user",
    errors: ["ROLE_NOT_FOUND", "MEMBER_NOT_FOUND"],
  }),
};
