import type { ActionDefinition, InstancePolicy, PermissionRule, Actor } from "@fanfare/contract";
import { may, type Access } from "./access.ts";
import { serviceError, type ServiceError } from "./errors.ts";

type SessionRule = Exclude<PermissionRule, { rule: "public" | "internal" }>;
type PlaceRule = Extract<PermissionRule, { rule: "group" | "channel" }>;

/** Why this caller is refused before any place is looked at, or null. */
export function refuseActor(rule: PermissionRule, actor: Actor | null): ServiceError | null {
  if (rule.rule === "public" || rule.rule === "internal") return null;
  return refuseSession(rule, actor);
}

function refuseSession(rule: SessionRule, actor: Actor | null): ServiceError | null {
  if (actor === null) return serviceError("UNAUTHENTICATED");
  if (rule.rule === "account" && actor.kind === "guest") return serviceError("GUEST_NOT_ALLOWED");
  // That there are such actions is no secret, so there is nothing to hide.
  if (rule.rule === "admin" && actor.admin !== true) return serviceError("FORBIDDEN");
  return null;
}

/** Why this bot is refused because of its token's scopes, or null. */
export function refuseBot(
  { permission: { rule }, botScope }: Pick<ActionDefinition, "permission" | "botScope">,
  actor: Actor | null,
): ServiceError | null {
  if (actor?.kind !== "bot" || rule === "public" || rule === "internal") return null;
  if (botScope === "any" || (botScope !== null && actor.scopes?.includes(botScope) === true)) return null;
  return serviceError("BOT_NOT_ALLOWED");
}

/** Whether the policy requires a second factor of a user. */
export function requiresSecondFactor(
  { requireSecondFactor }: Pick<InstancePolicy, "requireSecondFactor">,
  { kind, admin }: { kind: Actor["kind"]; admin?: true },
): boolean {
  if (requireSecondFactor === "off" || kind !== "member") return false;
  return requireSecondFactor === "accounts" || admin === true;
}

/**
 * Why this caller is refused in a group or channel, or null.
 * Who cannot see a place is told that it does not exist, so that ids cannot be probed.
 */
export function refuseAccess(rule: PlaceRule, access: Access, nowMs: number): ServiceError | null {
  if (!may(access, "view")) {
    return serviceError(rule.rule === "group" ? "GROUP_NOT_FOUND" : "CHANNEL_NOT_FOUND");
  }
  if ((rule.can === "sendMessages" || rule.can === "addReactions") && access.mutedUntilMs > nowMs) {
    return serviceError("MUTED", { mutedUntil: new Date(access.mutedUntilMs).toISOString() });
  }
  return may(access, rule.can) ? null : serviceError("FORBIDDEN");
}
