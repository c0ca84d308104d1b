import { z } from "zod";
import { CHANNEL_PERMISSIONS, GRANTABLE_PERMISSIONS } from "../permissions.ts";
import { id, time } from "./primitives.ts";

const bitsOf = (all: number) =>
  z
    .int()
    .min(0)
    .max(all)
    .refine((bits) => (bits & ~all) === 0, "has bits that cannot be set here");

export const rolePermissions = bitsOf(GRANTABLE_PERMISSIONS).describe("bits, see PERMISSIONS");
export const overrideBits = bitsOf(CHANNEL_PERMISSIONS).describe("bits, see PERMISSIONS");
export const roleColor = z.int().min(0).max(0xffffff).nullable().describe("RGB; null: none");

export const RoleSchema = z
  .object({
    id,
    groupId: id,
    name: z.string(),
    color: roleColor,
    permissions: z.int().describe("bits, see PERMISSIONS"),
    position: z.int().describe("the higher one stands above; of equal ones the one with the greater id"),
    mentionable: z.boolean().describe("whether everybody may mention it"),
    createdAt: time,
  })
  .meta({ id: "Role" });
export type Role = z.output<typeof RoleSchema>;

export const OverrideTargetSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("everyone") }),
  z.object({ type: z.literal("role"), id }),
  z.object({ type: z.literal("member"), id }),
]);

/** What a channel allows or denies to everyone, to a role or to a member, whatever holds in the group. */
export const OverrideSchema = z
  .object({ target: OverrideTargetSchema, allow: z.int(), deny: z.int() })
  .meta({ id: "Override" });
export type Override = z.output<typeof OverrideSchema>;

export const BanSchema = z
  .object({ groupId: id, userId: id, bannedBy: id, reason: z.string().nullable(), createdAt: time })
  .meta({ id: "Ban" });
export type Ban = z.output<typeof BanSchema>;

const auditData = z.record(z.string(), z.unknown()).nullable();
/** Who has done what in a group. */
export const AuditEntrySchema = z
  .object({
    id,
    groupId: id,
    actorId: id,
    action: z.string().describe("the name of the action of this contract"),
    targetId: id.nullable().describe("the user, role or channel that it was done to"),
    reason: z.string().nullable(),
    before: auditData.describe("what was changed, as it was"),
    after: auditData.describe("what was changed, as it is"),
    createdAt: time,
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof AuditEntrySchema>;
