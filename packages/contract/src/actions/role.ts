import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { NO_PERMISSIONS } from "../permissions.ts";

const inGroup = z.object({ groupId: e.id });
const ofRole = z.object({ groupId: e.id, roleId: e.id });
const ofMember = ofRole.extend({ userId: e.id });

/** Members can change only roles below their highest, and give or take only permissions that they have, in channels too: otherwise FORBIDDEN. */
export const roleActions = {
  list: action({
    summary: "The roles of a group, the lowest first.",
    params: inGroup,
    result: z.object({ roles: z.array(e.RoleSchema) }),
    permission: { rule: "group", can: "view" },
    mutates: false,
    botScope: "group.read",
    cost: 1,
  }),
  create: action({
    summary: "Make a role, below all others.",
    params: inGroup.extend({
      name: e.roleName,
      color: e.roleColor.default(null),
      permissions: e.rolePermissions.default(NO_PERMISSIONS),
      mentionable: z.boolean().default(false),
    }),
    result: z.object({ role: e.RoleSchema }),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: "roles.manage",
    cost: 2,
    audited: "role",
    errors: ["LIMIT_REACHED"],
  }),
  update: action({
    summary: "Change a role.",
    params: ofRole.extend({
      name: e.roleName.optional(),
      color: e.roleColor.optional(),
      permissions: e.rolePermissions.optional(),
      mentionable: z.boolean().optional(),
    }),
    result: z.object({ role: e.RoleSchema }),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: "roles.manage",
    cost: 2,
    audited: "role",
    errors: ["ROLE_NOT_FOUND"],
  }),
  setDefault: action({
    summary: "Change what every member of the group may. That members see the group cannot be taken away.",
    params: inGroup.extend({ permissions: e.rolePermissions }),
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: null,
    cost: 2,
    audited: "role",
  }),
  delete: action({
    summary: "Delete a role and take it from everybody.",
    params: ofRole,
    result: z.object({}),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: null,
    cost: 3,
    audited: "role",
    errors: ["ROLE_NOT_FOUND"],
  }),
  reorder: action({
    summary: "Put all roles of the group into an order, the lowest first.",
    params: inGroup.extend({ roleIds: z.array(e.id).min(1).max(LIMITS.rolesPerGroup) }),
    result: z.object({ roles: z.array(e.RoleSchema) }),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: null,
    cost: 3,
    audited: "role",
    errors: ["ROLE_NOT_FOUND"],
  }),
  assign: action({
    summary: "Give a role to a member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: "roles.manage",
    cost: 2,
    audited: "user",
    errors: ["ROLE_NOT_FOUND", "MEMBER_NOT_FOUND", "LIMIT_REACHED"],
  }),
  unassign: action({
    summary: "Take a role from a member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "manageRoles" },
    mutates: true,
    botScope: "roles.manage",
    cost: 2,
    audited: "user",
    errors: ["ROLE_NOT_FOUND", "MEMBER_NOT_FOUND"],
  }),
};
