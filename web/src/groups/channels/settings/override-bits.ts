import type { Override } from "@fanfare/contract";
import { PERMISSIONS, type PermissionName } from "@fanfare/contract/permissions";

export type Stance = "deny" | "inherit" | "allow";

/** What an override says about one permission. */
export function stanceOf(override: Pick<Override, "allow" | "deny">, name: PermissionName): Stance {
  const bit = PERMISSIONS[name];
  if ((override.allow & bit) !== 0) return "allow";
  return (override.deny & bit) !== 0 ? "deny" : "inherit";
}

/** The override with another word about one permission. */
export function withStance<O extends Pick<Override, "allow" | "deny">>(
  override: O,
  name: PermissionName,
  stance: Stance,
): O {
  const bit = PERMISSIONS[name];
  return {
    ...override,
    allow: stance === "allow" ? override.allow | bit : override.allow & ~bit,
    deny: stance === "deny" ? override.deny | bit : override.deny & ~bit,
  };
}

/** Names a target, for lists and to compare. */
export function targetKey(target: Override["target"]): string {
  return target.type === "everyone" ? "everyone" : `${target.type}:${target.id}`;
}
