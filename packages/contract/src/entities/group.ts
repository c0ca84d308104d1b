import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { CHANNEL_PERMISSIONS, GRANTABLE_PERMISSIONS } from "../permissions.ts";
import { entity, id, time } from "./primitives.ts";

export const GroupSchema = entity("Group", {
  id,
  name: z.string(),
  description: z.string(),
  ownerId: id,
  memberCount: z.int(),
  iconUrl: z.string().nullable().describe("path on this server; public"),
  defaultChannelId: id
    .nullable()
    .describe("the channel that new members see first; null: their first visible channel"),
  defaultPermissions: z.int().describe("permissions of all members: bits, see PERMISSIONS"),
  retentionDays: z.int().nullable().describe("older messages are removed; null: no limit of the group's own"),
  createdAt: time,
});
export type Group = z.output<typeof GroupSchema>;

export const MemberSchema = entity("Member", {
  groupId: id,
  userId: id,
  roleIds: z.array(id).describe("without the default role, which all members have"),
  mutedUntil: time.nullable(),
  joinedAt: time,
});
export type Member = z.output<typeof MemberSchema>;

export const inviteCode = z.string().regex(/^[A-Za-z0-9_-]{6,32}$/, "must be an invite code");

export const InviteSchema = entity("Invite", {
  code: z.string(),
  groupId: id,
  createdBy: id,
  uses: z.int(),
  maxUses: z.int().nullable(),
  expiresAt: time.nullable(),
  createdAt: time,
});
export type Invite = z.output<typeof InviteSchema>;

/** A word or phrase: matching ignores case, width and Unicode composition. */
export const filteredWord = z
  .string()
  .trim()
  .min(1)
  .max(LIMITS.filteredWordMaxChars)
  .regex(/[\p{L}\p{N}\p{S}]/u, "must have a letter, a digit or a symbol");
export const wordFilterAction = z
  .enum(["block", "mask"])
  .describe("block: the message is rejected with MESSAGE_FILTERED. mask: each character becomes a dot");

export const WordFilterSchema = entity("WordFilter", { words: z.array(z.string()), onHit: wordFilterAction });
export type WordFilter = z.output<typeof WordFilterSchema>;

const bitsOf = (all: number) =>
  z
    .int()
    .min(0)
    .max(all)
    .refine((bits) => (bits & ~all) === 0, "has bits that cannot be set here");

export const rolePermissions = bitsOf(GRANTABLE_PERMISSIONS).describe("bits, see PERMISSIONS");
export const overrideBits = bitsOf(CHANNEL_PERMISSIONS).describe("bits, see PERMISSIONS");
export const roleColor = z.int().min(0).max(0xffffff).nullable().describe("RGB; null: none");

export const RoleSchema = entity("Role", {
  id,
  groupId: id,
  name: z.string(),
  color: roleColor,
  permissions: z.int().describe("bits, see PERMISSIONS"),
  position: z
    .int()
    .describe("a role with a higher position ranks above; with equal positions, the one with the greater id"),
  mentionable: z.boolean().describe("whether all members can mention it"),
  createdAt: time,
});
export type Role = z.output<typeof RoleSchema>;

export const OverrideTargetSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("everyone") }),
  z.object({ type: z.literal("role"), id }),
  z.object({ type: z.literal("member"), id }),
]);

/** Permissions that a channel allows or denies to everyone, a role or a member, overriding those of the group. */
export const OverrideSchema = entity("Override", {
  target: OverrideTargetSchema,
  allow: z.int(),
  deny: z.int(),
});
export type Override = z.output<typeof OverrideSchema>;

export const BanSchema = entity("Ban", {
  groupId: id,
  userId: id,
  bannedBy: id,
  reason: z.string().nullable(),
  createdAt: time,
});
export type Ban = z.output<typeof BanSchema>;

const auditData = z.record(z.string(), z.unknown()).nullable();
/** An entry of a group's audit log. */
export const AuditEntrySchema = entity("AuditEntry", {
  id,
  groupId: id,
  actorId: id,
  action: z.string().describe("the name of the action of this contract"),
  targetId: id.nullable().describe("the affected user, role or channel"),
  reason: z.string().nullable(),
  before: auditData.describe("the changed values before"),
  after: auditData.describe("the changed values after"),
  createdAt: time,
});
export type AuditEntry = z.output<typeof AuditEntrySchema>;
