import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { entity, id, seq, time } from "./primitives.ts";

export const AttachmentSchema = entity("Attachment", {
  fileId: id,
  name: z.string(),
  bytes: z.int(),
  contentType: z.string().describe("media type detected by the server"),
  width: z.int().nullable().describe("in pixels; null if the file is not an image"),
  height: z.int().nullable(),
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
export const messageTrait = z.enum(["link", "attachment", "embed", "pin"]);

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
  emoji: z.string(),
  count: z.int().min(1),
  userIds: z
    .array(id)
    .max(LIMITS.reactionUsersShown)
    .describe("some of the users; all of them if there are few"),
});
export type Reaction = z.output<typeof ReactionSchema>;

export const MessageSchema = entity("Message", {
  id,
  channelId: id,
  seq: seq.describe("Position in the channel: 1 for the first message."),
  rev: seq.describe("The number of the channel's change that last changed the message."),
  authorId: id,
  content: z.string().describe("empty if deleted or if there are only attachments"),
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
  attachments: z.array(AttachmentSchema).min(1).optional(),
  embeds: z.array(EmbedSchema).min(1).optional(),
  as: z
    .object({ name: z.string(), avatarUrl: z.string().nullable() })
    .optional()
    .describe("the name and picture to show instead of the author's, for messages from a webhook"),
});
export type Message = z.output<typeof MessageSchema>;
