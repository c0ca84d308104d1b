import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { EndedCallSchema } from "./channel.ts";
import { CardSchema, ControlSchema } from "./card.ts";
import { emojiKind, entity, id, pollOption, seq, time } from "./primitives.ts";
import { messageRuleName } from "./group.ts";

/** As measured by the app that recorded it. */
export const RecordingSchema = entity("Recording", {
  durationMs: z.int().min(1).max(LIMITS.recordingMaxMs),
  peaks: z
    .string()
    .regex(
      new RegExp(`^[0-9a-v]{1,${LIMITS.recordingPeaks}}$`),
      `must be 1-${LIMITS.recordingPeaks} digits of base 32`,
    )
    .describe("the loudness of parts of the same length: a digit of base 32 for each"),
});
export type Recording = z.output<typeof RecordingSchema>;

export const AttachmentSchema = entity("Attachment", {
  fileId: id,
  name: z.string(),
  bytes: z.int(),
  contentType: z.string().describe("media type detected by the server"),
  width: z.int().nullable().describe("in pixels; null if the file is not an image"),
  height: z.int().nullable(),
  recording: RecordingSchema.optional().describe("only of a voice message"),
});
export type Attachment = z.output<typeof AttachmentSchema>;

/** A preview of a linked page; texts that the page doesn't provide are empty. */
export const EmbedSchema = entity("Embed", {
  url: z.url().max(LIMITS.urlMaxChars),
  title: z.string().max(LIMITS.embedTitleMaxChars),
  description: z.string().max(LIMITS.embedDescriptionMaxChars),
  siteName: z.string().max(LIMITS.embedTitleMaxChars),
  imageUrl: z.url().max(LIMITS.urlMaxChars).nullable(),
});
export type Embed = z.output<typeof EmbedSchema>;

/** Search filters for messages. */
export const messageTrait = z
  .enum(["link", "attachment", "image", "media", "document", "embed", "pin"])
  .describe("media: audio or video; document: any other file than an image or media");

/** The mentions of a message. */
export const MentionsSchema = entity("Mentions", {
  userIds: z.array(id),
  roleIds: z.array(id),
  everyone: z
    .boolean()
    .describe("whether the message mentions @everyone or @here and its author has the permission"),
});
export type Mentions = z.output<typeof MentionsSchema>;

export const ReactionSchema = entity("Reaction", {
  emoji: z.string().describe("an emoji, or `:name:` for one of the group's own, which can have been deleted"),
  count: z.int().min(1),
  userIds: z
    .array(id)
    .max(LIMITS.reactionUsersShown)
    .describe("some of the users; all of them if there are few"),
});
export type Reaction = z.output<typeof ReactionSchema>;

/** The question is the content of the message. Votes are its reactions with 1️⃣, 2️⃣, … */
export const PollSchema = entity("Poll", {
  options: z.array(pollOption).min(2).max(LIMITS.pollOptions),
  allowsSeveral: z.boolean().describe("whether a user can choose more than one option"),
  endsAt: time
    .nullable()
    .describe("votes are not changed after this time; null: until someone ends the poll"),
});
export type Poll = z.output<typeof PollSchema>;

/** The message shows this picture. Its content is the name, which is shown instead once the picture is deleted. */
export const StickerSchema = entity("Sticker", {
  id: id.describe("of the group's `emoji.list`"),
  kind: emojiKind.exclude(["emoji"]),
});
export type Sticker = z.output<typeof StickerSchema>;

export const MessageSchema = entity("Message", {
  id,
  channelId: id,
  seq: seq.describe("Position in the channel: 1 for the first message."),
  rev: seq.describe("The number of the channel's change that last changed the message."),
  authorId: id,
  content: z.string().describe("empty if deleted or if there are only attachments or cards"),
  replyTo: id.nullable(),
  nonce: z.string(),
  createdAt: time,
  editedAt: time.nullable(),
  deletedAt: time.nullable(),
  // Rarely used fields are absent instead of empty: each byte is sent to every member of the channel.
  mentions: MentionsSchema.optional().describe("absent if the message mentions no one"),
  reactions: z.array(ReactionSchema).min(1).optional().describe("ordered by first use"),
  pinnedAt: time.optional(),
  pinnedBy: id.optional(),
  threadId: id.optional().describe("the thread of the message"),
  alsoIn: id.optional().describe("the channel that a reply in a thread was also sent to"),
  replyIn: id.optional().describe("the thread that the message was also sent in, as a reply"),
  attachments: z.array(AttachmentSchema).min(1).optional(),
  embeds: z.array(EmbedSchema).min(1).optional(),
  cards: z.array(CardSchema).min(1).optional(),
  controls: z
    .array(ControlSchema)
    .min(1)
    .optional()
    .describe("buttons, select menus and links below a bot's message"),
  poll: PollSchema.optional(),
  sticker: StickerSchema.optional(),
  call: EndedCallSchema.optional().describe(
    "the call that this message was written for when it ended; its content is empty",
  ),
  as: z
    .object({ name: z.string(), avatarUrl: z.string().nullable() })
    .optional()
    .describe("the name and picture to show instead of the author's, for messages from a webhook"),
});
export type Message = z.output<typeof MessageSchema>;

/** What is needed to show a message in one line. */
export const MessageExcerptSchema = entity("MessageExcerpt", {
  id,
  channelId: id,
  seq,
  authorId: id,
  content: z
    .string()
    .max(LIMITS.excerptMaxChars)
    .describe(
      "the beginning of its text and cards, with … at the end if there is more; empty if there are only attachments",
    ),
  nonce: z.string(),
  createdAt: time,
  sticker: MessageSchema.shape.sticker,
  call: MessageSchema.shape.call,
  as: MessageSchema.shape.as,
});
export type MessageExcerpt = z.output<typeof MessageExcerptSchema>;

/** What was written around a message in its channel or thread. */
export const MessageContextSchema = entity("MessageContext", {
  messageId: id,
  before: MessageExcerptSchema.nullable().describe(
    "the message before it, without deleted ones; null: there is none, or several before it are deleted",
  ),
  after: MessageExcerptSchema.nullable().describe("likewise the message after it"),
});
export type MessageContext = z.output<typeof MessageContextSchema>;

export const reportReason = z.enum(["spam", "harassment", "other"]);
export type ReportReason = z.output<typeof reportReason>;

export const reportOutcome = z
  .enum(["dismissed", "messageDeleted", "muted", "kicked", "banned", "disabled"])
  .describe(
    "messageDeleted: the message is deleted with the call. The others tell what the moderator has done",
  );
export type ReportOutcome = z.output<typeof reportOutcome>;

/** A reported message, with all open reports of it. */
export const ReportSchema = entity("Report", {
  id,
  groupId: id.nullable().describe("null in a direct channel"),
  channelId: id,
  messageId: id,
  authorId: id,
  content: z.string().describe("the text of the message when it was first reported"),
  fileNames: z.array(z.string()).describe("the names of its attachments"),
  sentAt: time.describe("when the message was sent"),
  reporters: z
    .array(
      z.object({
        userId: id.nullable().describe("null: a rule of the group"),
        reason: reportReason.or(messageRuleName),
        details: z.string(),
        reportedAt: time,
        content: z
          .string()
          .optional()
          .describe("the text at that time, if it was edited since the first report"),
      }),
    )
    .min(1)
    .max(LIMITS.reportersPerMessage)
    .describe("in the order of their reports"),
});
export type Report = z.output<typeof ReportSchema>;

export const StoredFileSchema = AttachmentSchema.extend({
  ownerId: id.describe("the uploader"),
  channelId: id
    .nullable()
    .describe("the channel it was uploaded for; null: a picture of a profile or a group"),
  state: z
    .enum(["unclaimed", "attached", "picture"])
    .describe("unclaimed: not part of a message yet, and deleted after a day"),
  createdAt: time,
}).meta({ id: "StoredFile" });
export type StoredFile = z.output<typeof StoredFileSchema>;

export const FileUrlSchema = entity("FileUrl", {
  fileId: id,
  url: z
    .string()
    .describe(
      "path and query on this server, valid until expiresAt; anyone with this link can read the file",
    ),
  thumbnailUrl: z.string().nullable().describe("null if the file is not an image"),
  expiresAt: time,
});
export type FileUrl = z.output<typeof FileUrlSchema>;

export const FileUsageSchema = entity("FileUsage", {
  usedBytes: z.int().min(0),
  maxBytes: z.int().min(0).nullable().describe("maximum total size of uploads; null: no limit"),
});

/** Whose storage a file uses. */
export const fileOwner = z.object({ type: z.enum(["user", "group"]), id });
/** What a picture shows: a user, a group, a member or an emoji, sticker or GIF of a group, or this instance. */
export const pictureOf = z.union([
  fileOwner,
  z.object({ type: z.literal("member"), id: id.describe("the group") }),
  z.object({
    type: z.literal("emoji"),
    id: id.describe("the group"),
    kind: emojiKind.optional().describe("how it is drawn; default: as an emoji"),
  }),
  z.object({ type: z.literal("instance") }),
]);
export type PictureOf = z.output<typeof pictureOf>;
