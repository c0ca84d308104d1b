import { z } from "zod";
import * as e from "./entities.ts";
import { LIMITS } from "./limits.ts";
import { CHANNEL_PERMISSIONS, GRANTABLE_PERMISSIONS } from "./permissions.ts";

/** A group as lines of JSON: what it is, then what is in it, then how many lines that were and the SHA-256 of them. */
export const GROUP_FILE_FORMAT = "fanfare-group";
export const GROUP_FILE_VERSION = 1;

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
  format: z.literal(GROUP_FILE_FORMAT),
  version: z.literal(GROUP_FILE_VERSION),
});
export const GroupLine = z.strictObject({
  type: z.literal("group"),
  id,
  name: e.storedName(LIMITS.groupNameMaxChars),
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
export const RoleLine = z.strictObject({
  type: z.literal("role"),
  id,
  name: e.storedName(LIMITS.roleNameMaxChars),
  color: z.int().min(0).max(0xffffff).nullable(),
  permissions: bitsOf(GRANTABLE_PERMISSIONS),
  position: z.int().min(0),
  mentionable: z.boolean(),
  createdAt: time,
});
export const ChannelLine = z.strictObject({
  type: z.literal("channel"),
  id,
  kind: z.enum(["text", "section", "thread"]),
  /** Empty only of a thread. */
  name: e.storedName(LIMITS.channelNameMaxChars).or(z.literal("")),
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
export const MemberLine = z.strictObject({
  type: z.literal("member"),
  userId: id,
  roleIds: z.array(id).max(LIMITS.rolesPerMember),
  mutedUntil: time.nullable(),
  joinedAt: time,
});
/** In the order of their channel. */
export const MessageLine = z.strictObject({
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
  as: e.storedName(LIMITS.nicknameMaxChars).optional(),
});
/** To the message above it, in the order in which they are shown. */
export const ReactionLine = z.strictObject({
  type: z.literal("reaction"),
  messageId: id,
  emoji: e.storedEmoji,
  userId: id,
});
export const UserLine = z.strictObject({
  type: z.literal("user"),
  id,
  /** null: one without, or of whom nothing is left. */
  username: e.username.nullable(),
  nickname: e.storedName(LIMITS.nicknameMaxChars).nullable(),
});
const EndLine = z.strictObject({
  type: z.literal("end"),
  lines: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const GroupFileLineSchema = z.discriminatedUnion("type", [
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
export type GroupFileLine = z.output<typeof GroupFileLineSchema>;
export type GroupFileLineOf<T extends GroupFileLine["type"]> = Extract<GroupFileLine, { type: T }>;
/** What lies between the first and the last line. */
export type GroupFileContent = Exclude<GroupFileLine, { type: "header" | "end" }>;
