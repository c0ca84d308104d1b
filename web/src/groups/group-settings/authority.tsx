import type { Group, Member, Role } from "@fanfare/contract";
import {
  NO_PERMISSIONS,
  type Authority,
  canManageMember,
  canManageRole,
} from "@fanfare/contract/permissions";
import { useMe } from "../../data/me.ts";
import { useMember } from "../../data/members.ts";
import { useMyPermissions, useRoles } from "../../data/groups.ts";
import { cx } from "../../ui/cx.ts";
import { colorText } from "../../shared/formats.ts";

export interface OwnAuthority {
  /** In the group, as bits. */
  permissions: number;
  isOwner: boolean;
  canManageRole: (role: Role) => boolean;
  canManageMember: (member: Member) => boolean;
}

/** Which roles and members the user can manage, by role order. The server checks it again. */
export function useAuthority(group: Group): OwnAuthority {
  const me = useMe();
  const roles = useRoles(group.id).data ?? [];
  const own = useMember(group.id, me.id).data;
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const authorityOf = (userId: string, roleIds: readonly string[]): Authority => ({
    userId,
    isOwner: userId === group.ownerId,
    roles: roles.filter(({ id }) => roleIds.includes(id)),
  });
  const actor = authorityOf(me.id, own?.roleIds ?? []);
  return {
    permissions,
    isOwner: actor.isOwner,
    canManageRole: (role) => canManageRole(actor, role),
    canManageMember: ({ userId, roleIds }) => canManageMember(actor, authorityOf(userId, roleIds)),
  };
}

/** The color is shown as a dot, because colored text might not be readable. */
export function RoleName({ role }: { role: Pick<Role, "name" | "color"> }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span
        aria-hidden
        className={cx("size-2.5 shrink-0 rounded-full", role.color === null && "bg-line-strong")}
        style={role.color === null ? undefined : { backgroundColor: colorText(role.color) }}
      />
      <span className="truncate">{role.name}</span>
    </span>
  );
}
