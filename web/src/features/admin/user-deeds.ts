import type { AdminUser } from "@fanfare/contract";

/** What an admin can do to an account. */
export type UserDeed = "disable" | "enable" | "makeAdmin" | "takeAdmin" | "sendReset" | "resetTotp";

export const DANGEROUS: ReadonlySet<UserDeed> = new Set<UserDeed>(["disable", "takeAdmin", "resetTotp"]);
/** Those that ask why. */
export const WITH_REASON: ReadonlySet<UserDeed> = new Set<UserDeed>(["disable", "resetTotp"]);

/** What the server would allow: an admin cannot be disabled, and only people with an account can be made one. */
export function deedsFor(user: AdminUser, ownId: string): UserDeed[] {
  if (user.disabledAt !== null) return ["enable"];
  if (user.admin) return user.id === ownId ? ["takeAdmin"] : ["takeAdmin", "sendReset", "resetTotp"];
  if (user.kind === "member") return ["makeAdmin", "sendReset", "resetTotp", "disable"];
  return ["disable"];
}
