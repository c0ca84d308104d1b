import { z } from "zod";
import * as e from "./entities.ts";
import { LIMITS } from "./limits.ts";

/** A group as JSON lines: a header, the contents, and an end line with the number and SHA-256 of the lines. */
export const GROUP_FILE_FORMAT = "fanfare-group";
export const GROUP_FILE_VERSION = 1;

const { id, overrideBits, rolePermissions, time } = e;
const text = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .refine((value) => value.isWellFormed(), "must not have unpaired surrogates");

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
  systemChannelId: id.nullable().optional(),
  defaultPermissions: rolePermissions.nullable(),
  retentionDays: e.retentionDays.nullable(),
  needsApproval: z.boolean().optional(),
  raidLimit: e.raidLimit.optional(),
  wordFilter: z
    .strictObject({
      words: z.array(text(LIMITS.filteredWordMaxChars).min(1)).max(LIMITS.wordsPerFilter),
      onHit: z.enum(["block", "mask"]),
      rules: e.MessageRulesSchema.optional(),
    })
    .nullable(),
  createdAt: time,
});
export const RoleLine = z.strictObject({
  type: z.literal("role"),
  id,
  name: e.storedName(LIMITS.roleNameMaxChars),
  color: e.roleColor,
  permissions: rolePermissions,
  position: z.int().min(0),
  mentionable: z.boolean(),
  createdAt: time,
});
export const ChannelLine = z.strictObject({
  type: z.literal("channel"),
  id,
  kind: z.enum(["text", "voice", "section", "thread"]),
  /** Only threads can have an empty name. */
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
  /** Only for threads. */
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
  nickname: e.storedName(LIMITS.nicknameMaxChars).optional(),
  mutedUntil: time.nullable(),
  joinedAt: time,
});
/** Ordered as in their channel. */
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
  poll: e.PollSchema.optional(),
  call: e.EndedCallSchema.optional(),
  cards: e.cardsWithoutFiles.min(1).optional(),
  controls: e.controls.min(1).optional(),
  /** The name to show instead of its author's. */
  as: e.storedName(LIMITS.nicknameMaxChars).optional(),
});
/** Reactions to the preceding message, in display order. */
export const ReactionLine = z.strictObject({
  type: z.literal("reaction"),
  messageId: id,
  emoji: e.storedEmoji,
  userId: id,
});
export const UserLine = z.strictObject({
  type: z.literal("user"),
  id,
  /** null if the user has none or was deleted. */
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
/** Any line except the first and the last. */
export type GroupFileContent = Exclude<GroupFileLine, { type: "header" | "end" }>;

/** The first line of an export of a user's messages. */
export const MESSAGE_FILE_FORMAT = "fanfare-messages";
export const MESSAGE_FILE_VERSION = 1;

const MessageHeaderLine = z.object({
  type: z.literal("header"),
  format: z.literal(MESSAGE_FILE_FORMAT),
  version: z.literal(MESSAGE_FILE_VERSION),
  userId: e.id,
  from: e.time,
  to: e.time,
  reason: z.string(),
  exportedBy: e.id,
  exportedAt: e.time,
});
/** Precedes messages of a channel, again if those of another one came between. */
export const PlaceLine = z.object({
  type: z.literal("channel"),
  id: e.id,
  kind: z.enum(["text", "voice", "section", "direct", "groupDirect", "thread", "deleted"]),
  name: z.string(),
  /** Of a thread: the channel that it is in. */
  parentId: e.id.nullable(),
  group: z.object({ id: e.id, name: z.string() }).nullable(),
  /** The participants of a direct channel, at the time of the export or when it was deleted. */
  memberIds: z.array(e.id),
});
const ExportedMessageLine = z.object({
  type: z.literal("message"),
  message: e.MessageSchema,
  /** True: it was deleted while its author was under a legal hold; this is what was deleted. */
  held: z.boolean(),
});
export type PlaceLine = z.output<typeof PlaceLine>;
/** A text that the preceding message had before an edit, latest first. */
const EditLine = z.object({
  type: z.literal("edit"),
  messageId: e.id,
  version: z.int(),
  content: z.string(),
  writtenAt: e.time,
});
/** A link to an attachment of the preceding message. Anyone who has it can download the file until it expires. */
const FileLine = z.object({ type: z.literal("file"), messageId: e.id, fileId: e.id, url: z.string() });
const MessageEndLine = z.object({ type: z.literal("end"), lines: z.int(), sha256: z.string() });

/** A message or one of its former texts. */
export const ExportedLine = z.discriminatedUnion("type", [ExportedMessageLine, EditLine]);
export const MessageFileLineSchema = z.discriminatedUnion("type", [
  MessageHeaderLine,
  PlaceLine,
  ExportedMessageLine,
  EditLine,
  FileLine,
  UserLine,
  MessageEndLine,
]);
export type MessageFileLine = z.output<typeof MessageFileLineSchema>;
/** Any line except the first and the last. */
export type MessageFileContent = Exclude<MessageFileLine, { type: "header" | "end" }>;

/** Whose messages of which time an export has: sent at or after `from`, and before `to`. */
export const exportedSpan = e.ofUser.extend({ from: e.time, to: e.time });

/** With `version`, the page ended in the middle of the former texts of a message: those from this version on were returned. */
const withVersion = z.object({ version: z.int().optional() });
/** Where a page of an export ended: after the message with this nonce. */
export const exportPosition = withVersion.extend({
  channelId: e.id,
  nonce: z.string().max(LIMITS.nonceMaxChars),
});
export const heldPosition = withVersion.extend({ messageId: e.id });
