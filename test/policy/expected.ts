import {
  actionDefinition,
  hasPermission,
  MEMBER_PERMISSIONS,
  NO_PERMISSIONS,
  OWNER_PERMISSIONS,
} from "@fanfare/contract";
import type { ActionName, ErrorCode, PermissionRule } from "@fanfare/contract";
import { MODERATOR_PERMISSIONS } from "@fanfare/testing";

export const ACTORS = [
  "anonymous",
  "stranger",
  "guest",
  "member",
  "muted",
  "banned",
  "moderator",
  "owner",
  "bot",
  "admin",
] as const;
export type ActorName = (typeof ACTORS)[number];

/** "ok", or the error that the actor must get. */
export type Outcome = "ok" | ErrorCode;

interface Standing {
  isLoggedIn: boolean;
  /** A bot with every scope. */
  isBot: boolean;
  isGuest: boolean;
  isAdmin: boolean;
  isMuted: boolean;
  /** In the group under test. */
  permissions: number;
}

const ANONYMOUS: Standing = {
  isLoggedIn: false,
  isBot: false,
  isGuest: false,
  isAdmin: false,
  isMuted: false,
  permissions: NO_PERMISSIONS,
};
const NON_MEMBER: Standing = { ...ANONYMOUS, isLoggedIn: true };
const MEMBER: Standing = { ...NON_MEMBER, permissions: MEMBER_PERMISSIONS };

const STANDINGS: Record<ActorName, Standing> = {
  anonymous: ANONYMOUS,
  stranger: NON_MEMBER,
  guest: { ...MEMBER, isGuest: true },
  member: MEMBER,
  muted: { ...MEMBER, isMuted: true },
  banned: NON_MEMBER,
  moderator: { ...MEMBER, permissions: MODERATOR_PERMISSIONS },
  owner: { ...MEMBER, permissions: OWNER_PERMISSIONS },
  bot: { ...MEMBER, isBot: true },
  admin: { ...NON_MEMBER, isAdmin: true },
};

/**
 * The expected outcome by the action's rule. Written independently of the server's own check, so that an error
 * there is found.
 */
export function expectedOutcome(name: ActionName, actor: ActorName): Outcome {
  const { permission, botScope } = actionDefinition(name);
  const isRefusedToBots = permission.rule !== "public" && botScope === null;
  if (STANDINGS[actor].isBot && isRefusedToBots && permission.rule !== "admin") return "BOT_NOT_ALLOWED";
  return byRule(permission, actor);
}

function byRule(permission: PermissionRule, actor: ActorName): Outcome {
  const { isLoggedIn, isGuest, isAdmin, isMuted, permissions } = STANDINGS[actor];
  switch (permission.rule) {
    case "internal":
      return "UNKNOWN_ACTION";
    case "public":
      return "ok";
    case "session":
      return isLoggedIn ? "ok" : "UNAUTHENTICATED";
    case "account":
      if (!isLoggedIn) return "UNAUTHENTICATED";
      return isGuest ? "GUEST_NOT_ALLOWED" : "ok";
    case "admin":
      if (!isLoggedIn) return "UNAUTHENTICATED";
      return isAdmin ? "ok" : "FORBIDDEN";
    case "group":
    case "channel": {
      const { rule, can } = permission;
      if (!isLoggedIn) return "UNAUTHENTICATED";
      if (!hasPermission(permissions, "view"))
        return rule === "group" ? "GROUP_NOT_FOUND" : "CHANNEL_NOT_FOUND";
      if (isMuted && (can === "sendMessages" || can === "addReactions")) return "MUTED";
      return hasPermission(permissions, can) ? "ok" : "FORBIDDEN";
    }
  }
}
