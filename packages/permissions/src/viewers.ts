import { hasPermission, type Override } from "@fanfare/contract";

/**
 * Who sees a channel, by sets that rooms stand for, without naming the members of a role. They see it who are
 * in `memberIds`, or have one of `roleIds` and are not in `exceptMemberIds`; where `everyone`, also whoever has none of
 * `exceptRoleIds` and is not in `exceptMemberIds`. The owner of the group sees it always and is not mentioned.
 */
export interface Viewers {
  everyone: boolean;
  memberIds: string[];
  roleIds: string[];
  exceptMemberIds: string[];
  exceptRoleIds: string[];
}

/** Whether there may be members who do not see the channel. */
export function hidesFromSome(overrides: readonly Override[]): boolean {
  return overrides.some(({ deny }) => hasPermission(deny, "view"));
}

export function viewers(overrides: readonly Override[]): Viewers {
  const idsOf = (type: "member" | "role", which: "allow" | "deny"): string[] =>
    overrides.flatMap(({ target, ...bits }) =>
      target.type === type && hasPermission(bits[which], "view") ? [target.id] : [],
    );
  const isHidden = ({ target, allow, deny }: Override): boolean =>
    target.type === "everyone" && hasPermission(deny, "view") && !hasPermission(allow, "view");
  return {
    everyone: !overrides.some(isHidden),
    memberIds: idsOf("member", "allow"),
    roleIds: idsOf("role", "allow"),
    exceptMemberIds: idsOf("member", "deny"),
    exceptRoleIds: idsOf("role", "deny"),
  };
}
