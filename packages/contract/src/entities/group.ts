import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { CHANNEL_PERMISSIONS, GRANTABLE_PERMISSIONS } from "../permissions.ts";
import { emojiKind, entity, id, time } from "./primitives.ts";

export const raidLimit = z.int().min(LIMITS.raidLimitMin).max(LIMITS.raidLimitMax).nullable();

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
  systemChannelId: id.nullable().describe("the channel that shows who joined and left; null: none"),
  defaultPermissions: z.int().describe("permissions of all members: bits, see PERMISSIONS"),
  retentionDays: z.int().nullable().describe("older messages are removed; null: no limit of the group's own"),
  listed: z.boolean().describe("whether all users of this instance can find it in the directory, and join"),
  needsApproval: z.boolean().describe("whether users ask to join, and members with kickMembers approve them"),
  raidLimit: z
    .int()
    .nullable()
    .describe(
      `joins in ${LIMITS.raidWindowMs / 60_000} minutes before a lockdown starts; null: no limit. Also null for members who can't ` +
        "change it, and everywhere except in `group.get`",
    ),
  lockdownUntil: time.nullable().describe("new members need approval until then; null: no lockdown"),
  createdAt: time,
});
export type Group = z.output<typeof GroupSchema>;

export const needsApprovalNow = z.boolean().describe("whether new members need approval now");

/** A group as users who aren't members see it in the directory. */
export const ListedGroupSchema = entity("ListedGroup", {
  ...GroupSchema.pick({ id: true, name: true, description: true, iconUrl: true, memberCount: true }).shape,
  needsApproval: needsApprovalNow,
});
export type ListedGroup = z.output<typeof ListedGroupSchema>;

/** A pending join request, for the moderators of the group. */
export const JoinRequestSchema = entity("JoinRequest", {
  groupId: id,
  userId: id,
  message: z.string(),
  createdAt: time,
});
export type JoinRequest = z.output<typeof JoinRequestSchema>;

/** A user's own join request. */
export const OwnJoinRequestSchema = entity("OwnJoinRequest", {
  groupId: id,
  groupName: z.string(),
  iconUrl: z.string().nullable().describe("path on this server; public"),
  message: z.string(),
  createdAt: time,
  askAgainAt: time.nullable().describe("when the user can ask again after a rejection; null: it is pending"),
});
export type OwnJoinRequest = z.output<typeof OwnJoinRequestSchema>;

export const MemberSchema = entity("Member", {
  groupId: id,
  userId: id,
  roleIds: z.array(id).describe("without the default role, which all members have"),
  nickname: z.string().optional().describe("shown in this group instead of the user's own; absent: none"),
  avatarUrl: z.string().optional().describe("shown in this group instead of the user's own; absent: none"),
  mutedUntil: time.nullable(),
  joinedAt: time,
});
export type Member = z.output<typeof MemberSchema>;
/** How a user appears in a group. */
export const nicknameOf = MemberSchema.pick({ userId: true, nickname: true, avatarUrl: true });
export type Nickname = z.output<typeof nicknameOf>;

export const MemberChangeSchema = entity("MemberChange", {
  userId: id,
  change: z.enum(["joined", "left"]).describe("left: also of members who were kicked or banned"),
  at: time,
});
export type MemberChange = z.output<typeof MemberChangeSchema>;

export const inviteCode = z.string().regex(/^[A-Za-z0-9_-]{6,32}$/, "must be an invite code");

export const InviteSchema = entity("Invite", {
  code: z.string(),
  groupId: id,
  createdBy: id,
  uses: z.int(),
  maxUses: z.int().nullable(),
  expiresAt: time.nullable(),
  email: z.string().nullable().describe("the address that the invite was emailed to"),
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

const allowedHost = z
  .string()
  .max(LIMITS.hostMaxChars)
  .refine(
    (host) => host.includes(".") && URL.parse(`https://${host}`)?.hostname === host,
    "must be a host such as example.com, in lower case and without a path",
  );
const rule = <S extends z.ZodRawShape>(summary: string, shape: S) =>
  z
    .object({
      onHit: z
        .enum(["block", "report"])
        .describe("block: the message is rejected with MESSAGE_REFUSED. report: it is sent, and reported"),
      ...shape,
    })
    .nullable()
    .describe(`${summary}; null: no rule`);

/** Rules for the messages of members without manageMessages. */
export const MessageRulesSchema = entity("MessageRules", {
  links: rule("no links", {
    allowedHosts: z
      .array(allowedHost)
      .max(LIMITS.hostsPerRule)
      .describe("links to these hosts and their subdomains are allowed"),
  }),
  mentions: rule("few mentions", {
    max: z.int().min(1).max(LIMITS.mentionsPerMessage).describe("mentions in one message"),
  }),
  repeats: rule("no repetitions", {
    max: z
      .int()
      .min(1)
      .max(LIMITS.repeatsMax)
      .describe(`messages by one member with the same text in ${LIMITS.repeatWindowMs / 60_000} minutes`),
  }),
  newAccounts: rule("no messages by new accounts", {
    hours: z.int().min(1).max(LIMITS.newAccountMaxHours).describe("an older account is not new"),
  }),
});
export type MessageRules = z.output<typeof MessageRulesSchema>;
export const messageRuleName = MessageRulesSchema.keyof();
export type MessageRuleName = z.output<typeof messageRuleName>;

export const WordFilterSchema = entity("WordFilter", {
  words: z.array(z.string()),
  onHit: wordFilterAction,
  rules: MessageRulesSchema,
});
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

/**
 * One of a group's own emoji, stickers or GIFs. Texts and reactions of the group refer to an emoji by its name: `:parrot:`. Messages
 * refer to a sticker or GIF by its id.
 */
export const EmojiSchema = entity("Emoji", {
  id,
  groupId: id,
  kind: emojiKind,
  name: z.string(),
  url: z.string().describe("path of a WebP image on this server, animated or not; public"),
  width: z.int().optional().describe("in pixels; absent for emoji added by earlier versions"),
  height: z.int().optional(),
  createdBy: id,
  createdAt: time,
});
export type Emoji = z.output<typeof EmojiSchema>;
export type EmojiKind = Emoji["kind"];

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
