import { CHANNEL_PERMISSIONS, GRANTABLE_PERMISSIONS, LIMITS } from "@fanfare/contract";
import { z } from "zod";

/** A group as lines of JSON: what it is, then what is in it, then how many lines that were and the SHA-256 of them. */
export const FORMAT = "fanfare-group";
export const FORMAT_VERSION = 1;

const id = z.string().regex(/^[0-9a-f]{24}$/, "must be an id of 24 hexadecimal digits");
const time = z.iso.datetime({ precision: 3 });
const text = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .refine((value) => value.isWellFormed(), "must not have unpaired surrogates");
const bitsOf = (all: number) =>
  z
    .int()
    .min(0)
    .max(all)
    .refine((bits) => (bits & ~all) === 0, "has bits that cannot be set here");
const overrideBits = bitsOf(CHANNEL_PERMISSIONS);

const HeaderLine = z.strictObject({
  type: z.literal("header"),
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
});
const GroupLine = z.strictObject({
  type: z.literal("group"),
  id,
  name: text(LIMITS.groupNameMaxChars).min(1),
  description: text(LIMITS.groupDescriptionMaxChars),
  ownerId: id,
  defaultChannelId: id.nullable(),
  defaultPermissions: bitsOf(GRANTABLE_PERMISSIONS).nullable(),
  retentionDays: z.int().min(1).max(LIMITS.retentionMaxDays).nullable(),
  wordFilter: z
    .strictObject({
      words: z.array(text(LIMITS.filteredWordMaxChars).min(1)).max(LIMITS.wordsPerFilter),
      onHit: z.enum(["block", "mask"]),
    })
    .nullable(),
  createdAt: time,
});
const RoleLine = z.strictObject({
  type: z.literal("role"),
  id,
  name: text(LIMITS.roleNameMaxChars).min(1),
  color: z.int().min(0).max(0xffffff).nullable(),
  permissions: bitsOf(GRANTABLE_PERMISSIONS),
  position: z.int().min(0),
  mentionable: z.boolean(),
  createdAt: time,
});
const ChannelLine = z.strictObject({
  type: z.literal("channel"),
  id,
  kind: z.enum(["text", "section", "thread"]),
  name: text(LIMITS.channelNameMaxChars),
  topic: text(LIMITS.topicMaxChars),
  sectionId: id.nullable(),
  position: z.int().min(0),
  slowModeSeconds: z.int().min(0).max(LIMITS.slowModeMaxSeconds),
  overrides: z
    .array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("everyone"), allow: overrideBits, deny: overrideBits }),
        z.strictObject({ type: z.enum(["role", "member"]), id, allow: overrideBits, deny: overrideBits }),
      ]),
    )
    .max(LIMITS.overridesPerChannel),
  /** Of a thread alone. */
  thread: z
    .strictObject({
      parentId: id,
      rootMessageId: id,
      createdBy: id,
      archivedAt: time.nullable(),
      lastActivityAt: time,
    })
    .nullable(),
  createdAt: time,
});
const MemberLine = z.strictObject({
  type: z.literal("member"),
  userId: id,
  roleIds: z.array(id).max(LIMITS.rolesPerMember),
  mutedUntil: time.nullable(),
  joinedAt: time,
});
/** In the order of their channel. */
const MessageLine = z.strictObject({
  type: z.literal("message"),
  id,
  channelId: id,
  authorId: id,
  content: text(LIMITS.messageMaxChars),
  replyTo: id.nullable(),
  createdAt: time,
  editedAt: time.nullable(),
  deletedAt: time.nullable(),
  editCount: z.int().min(0).max(LIMITS.editsPerMessage),
  mentions: z
    .strictObject({
      userIds: z.array(id).max(LIMITS.mentionsPerMessage + 1),
      roleIds: z.array(id).max(LIMITS.mentionsPerMessage),
      everyone: z.boolean(),
    })
    .optional(),
  pinned: z.strictObject({ at: time, by: id }).optional(),
  threadId: id.optional(),
  /** The name to show instead of its author's. */
  as: text(LIMITS.nicknameMaxChars).min(1).optional(),
});
/** To the message above it, in the order in which they are shown. */
const ReactionLine = z.strictObject({
  type: z.literal("reaction"),
  messageId: id,
  emoji: text(LIMITS.emojiMaxChars).min(1),
  userId: id,
});
const UserLine = z.strictObject({
  type: z.literal("user"),
  id,
  /** null: one without, or of whom nothing is left. */
  username: text(LIMITS.usernameMaxChars).min(1).nullable(),
  nickname: text(LIMITS.nicknameMaxChars).nullable(),
});
const EndLine = z.strictObject({
  type: z.literal("end"),
  lines: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const LineSchema = z.discriminatedUnion("type", [
  HeaderLine,
  GroupLine,
  RoleLine,
  ChannelLine,
  MemberLine,
  MessageLine,
  ReactionLine,
  UserLine,
  EndLine,
]);
export type Line = z.output<typeof LineSchema>;
export type LineOf<T extends Line["type"]> = Extract<Line, { type: T }>;
export type Content = Exclude<Line, { type: "header" | "end" }>;

/** Who or what a text mentions: users, and with `&` roles. */
export const MENTION = /<@(&?)([0-9a-f]{24})>/g;
