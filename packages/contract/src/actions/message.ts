import { z } from "zod";
import { internal, mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const oneMessage = e.inChannel.extend({ messageId: e.id });
const position = e.seq.optional();
const storedReaction = oneMessage.extend({ emoji: e.storedEmoji });
const messageResult = z.object({ message: e.MessageSchema });
const hasMore = z
  .boolean()
  .describe("whether to ask for another page; one may have fewer items than the limit and not be the last");

const sendParams = e.inChannel.extend({
  content: e.messageContent,
  nonce: e.nonce,
  replyTo: e.id.optional(),
  mentionAuthor: z.boolean().default(true).describe("whether a reply mentions whom it answers"),
});

export const messageActions = {
  send: mutation({
    summary: "Send a message. When this is answered, the message is on disk.",
    params: sendParams
      .extend({
        content: e.messageContent.or(z.literal("")).describe("empty only with attachments"),
        attachmentIds: z
          .array(e.id)
          .max(LIMITS.attachmentsPerMessage)
          .default([])
          .describe("files that the caller has uploaded for this channel"),
        resend: z
          .boolean()
          .optional()
          .describe("true when this nonce was sent before: the server then looks for that message first"),
      })
      .refine(
        ({ content, attachmentIds }) => content !== "" || attachmentIds.length > 0,
        "give a content, or attachments",
      ),
    result: z.object({ message: e.MessageSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    shardBy: "channelId",
    createsMessage: true,
    errors: ["MUTED", "MESSAGE_NOT_FOUND", "FORBIDDEN", "SLOW_MODE", "MESSAGE_FILTERED"],
    rateLimit: { points: 120, durationMs: 10_000 },
  }),
  edit: mutation({
    summary: "Change the text of one's own message.",
    params: oneMessage.extend({ content: e.messageContent }),
    result: z.object({ message: e.MessageSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: ["MUTED", "MESSAGE_NOT_FOUND", "FORBIDDEN", "LIMIT_REACHED", "MESSAGE_FILTERED"],
  }),
  delete: mutation({
    summary: "Delete one's own message, or anyone's for those who manage messages.",
    params: oneMessage,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.write",
    shardBy: "channelId",
    audited: "message",
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN"],
  }),
  get: query({
    summary: "One message.",
    params: oneMessage,
    result: z.object({ message: e.MessageSchema }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    errors: ["MESSAGE_NOT_FOUND"],
  }),
  list: query({
    summary:
      "A page of messages in the order of their seq: the newest, before, after or around a seq, or around a time.",
    params: e.inChannel
      .extend({
        before: position,
        after: position,
        around: position,
        atTime: e.time.optional().describe("around the first message of this time or later"),
        limit: e.pageLimit,
      })
      .refine(
        ({ before, after, around, atTime }) =>
          [before, after, around, atTime].filter((place) => place !== undefined).length <= 1,
        "give at most one of before, after, around and atTime",
      ),
    result: z.object({
      messages: z.array(e.MessageSchema),
      hasMore: hasMore.describe(
        "whether there may be further messages: newer ones for `after`, on either side for `around` and `atTime`, otherwise older " +
          "ones. A page may have fewer messages than the limit and not be the last one: its size in bytes is bounded too",
      ),
      head: e.HeadSchema.describe("the channel as it was just before the page was read"),
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    isHeavy: true,
  }),
  listEdits: query({
    summary:
      "The former texts of an edited message, newest first: for its author and for those who manage messages.",
    params: oneMessage.extend({ before: e.seq.optional().describe("a version"), limit: e.pageLimit }),
    result: z.object({
      edits: z.array(
        z.object({
          version: e.seq.describe("0 for the text that was sent"),
          content: z.string(),
          writtenAt: e.time,
        }),
      ),
      hasMore,
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.manage",
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN"],
  }),
  react: mutation({
    summary: "React to a message. Repeatable; the message shows it a moment later.",
    params: oneMessage.extend({ emoji: e.emoji }),
    permission: { rule: "channel", can: "addReactions" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: ["MUTED", "MESSAGE_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: { points: 40, durationMs: 10_000 },
  }),
  unreact: mutation({
    summary: "Take one's reaction back. Repeatable.",
    params: storedReaction,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: ["MESSAGE_NOT_FOUND"],
    rateLimit: { points: 40, durationMs: 10_000 },
  }),
  listReactors: query({
    summary: "A page of those who reacted with an emoji, in the order of their ids.",
    params: storedReaction.extend({ afterUserId: e.id.optional(), limit: e.pageLimit }),
    result: z.object({ userIds: z.array(e.id), nextUserId: e.id.nullable() }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    errors: ["MESSAGE_NOT_FOUND"],
  }),
  listOwnReactions: query({
    summary: "The caller's reactions to these messages.",
    params: e.inChannel.extend({ messageIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({ reactions: z.array(z.object({ messageId: e.id, emoji: z.string() })) }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.write",
  }),
  pin: mutation({
    summary:
      "Pin a message to its channel: those who manage messages, and everybody in a direct channel. Repeatable.",
    params: oneMessage,
    result: messageResult,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.manage",
    shardBy: "channelId",
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN", "LIMIT_REACHED"],
  }),
  unpin: mutation({
    summary: "Take a message from the pins of its channel. Repeatable.",
    params: oneMessage,
    result: messageResult,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.manage",
    shardBy: "channelId",
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN", "LIMIT_REACHED"],
  }),
  listPins: query({
    summary: "The pinned messages of a channel, the last pinned first.",
    params: e.inChannel.extend({
      skip: z.int().min(0).max(LIMITS.pinsPerChannel).default(0).describe("the nextSkip of the page before"),
    }),
    result: z.object({
      messages: z.array(e.MessageSchema).max(LIMITS.pinsPerChannel),
      nextSkip: z.int().nullable().describe("null: that was all; the size of a page in bytes is bounded"),
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    isHeavy: true,
  }),
  post: internal({
    summary: "Send for somebody who may write there, under another name if one is given: webhooks and bots.",
    params: sendParams.extend({
      authorId: e.id,
      as: z.object({ name: e.nickname, avatarUrl: z.url().max(LIMITS.urlMaxChars).nullable() }).optional(),
    }),
    result: messageResult,
    errors: ["CHANNEL_NOT_FOUND", "FORBIDDEN", "MUTED", "MESSAGE_NOT_FOUND", "MESSAGE_FILTERED"],
  }),
  setEmbeds: internal({
    summary:
      "The previews of what a message links to; empty: none. Nothing happens where it was edited since `editedAt`.",
    params: oneMessage.extend({
      embeds: z.array(e.EmbedSchema).max(LIMITS.embedsPerMessage),
      editedAt: e.time.nullable().describe("the message's when its text was read"),
    }),
    result: z.object({ isSet: z.boolean() }),
  }),
  getMany: internal({
    summary: "Those of these messages that still exist, newest first. The caller checks who can see them.",
    params: z.object({ messageIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({
      messages: z.array(e.MessageSchema),
      stoppedAt: e.id
        .nullable()
        .describe("the first message that did not fit into the answer: it and older ones were not read"),
    }),
  }),
  findSent: internal({
    summary:
      "The attachments of what somebody has sent with a nonce; none where it was never sent, or is deleted.",
    params: e.inChannel.extend({ authorId: e.id, nonce: e.nonce }),
    result: z.object({ attachments: z.array(e.AttachmentSchema) }),
  }),
  listChanges: internal({
    summary: "The messages of a channel whose last change is later than `afterRev`, in the order of rev.",
    params: e.inChannel.extend({ afterRev: e.seq, limit: z.int().min(1).max(LIMITS.changesPerSyncCall) }),
    result: z.object({ messages: z.array(e.MessageSchema) }),
  }),
  listMentions: internal({
    summary:
      "Messages that mention any of the keys (`mentionKey`), newest first; one's own are for the caller to leave out.",
    params: z.object({
      keys: z.array(e.mentionKey).min(1).max(LIMITS.mentionKeysPerLookup),
      before: e.id.optional().describe("a message's id: only older ones"),
      limit: e.pageLimit,
    }),
    result: z.object({ messages: z.array(e.MessageSchema), hasMore }),
  }),
  countMentions: internal({
    summary:
      "How many messages of others mention a user in each channel after a seq, in the order asked for.",
    params: z.object({
      userId: e.id,
      channels: z
        .array(
          z.object({
            channelId: e.id,
            afterSeq: e.seq,
            keys: z.array(e.mentionKey).min(1).max(LIMITS.mentionKeysPerLookup),
          }),
        )
        .max(LIMITS.channelsPerGroup),
    }),
    result: z.object({ counts: z.array(z.int().max(LIMITS.mentionsCounted)) }),
  }),
  removeChannels: internal({
    summary:
      "Remove everything that was written in these channels. Answered when that is noted for good; repeatable.",
    params: z.object({ channelIds: z.array(e.id).min(1).max(LIMITS.channelsPerGroup) }),
  }),
  listHeads: internal({
    summary: "Where channels stand, and what a user has read of them, in the order asked for.",
    params: z.object({ userId: e.id, channelIds: z.array(e.id).max(LIMITS.channelsPerGroup) }),
    result: z.object({
      heads: z.array(z.object({ channelId: e.id, head: e.HeadSchema, lastReadSeq: e.seq })),
    }),
  }),
};
