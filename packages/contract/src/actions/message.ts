import { z } from "zod";
import { internal, mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const position = e.seq.optional();
const storedReaction = e.oneMessage.extend({ emoji: e.storedEmoji });
const messageResult = z.object({ message: e.MessageSchema });
const hasMore = z
  .boolean()
  .describe("whether there are more pages; any page can have fewer items than the limit");

const withCards = {
  cards: e.cards.optional().describe("for bots"),
  controls: e.controls.optional().describe("for bots: buttons, selects and links under the message"),
};

const ephemeral = {
  userId: e.id.describe("a member who can see the channel"),
  content: e.messageContent.or(z.literal("")).default("").describe("empty only with cards"),
  cards: e.cards.optional(),
  controls: e.links.optional().describe("links under the message"),
};

const sendParams = e.inChannel.extend({
  content: e.messageContent,
  nonce: e.nonce,
  replyTo: e.id.optional(),
  mentionAuthor: z
    .boolean()
    .default(true)
    .describe("whether a reply mentions the author of the message it replies to"),
});

const pinning = {
  params: e.oneMessage,
  result: messageResult,
  permission: { rule: "channel", can: "view" },
  botScope: "messages.manage",
  shardBy: "channelId",
  errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN", "LIMIT_REACHED"],
} as const;

export const messageActions = {
  send: mutation({
    summary: "Send a message. The message is on disk when the call returns.",
    params: sendParams
      .extend({
        content: e.messageContent
          .or(z.literal(""))
          .describe("empty only with attachments, cards or a sticker"),
        attachmentIds: z
          .array(e.id)
          .max(LIMITS.attachmentsPerMessage)
          .default([])
          .describe("files uploaded by the caller for this channel"),
        alsoInChannel: z
          .boolean()
          .optional()
          .describe(
            "for a reply in a thread: also send it to the thread's channel. Both are edited and deleted together; attachments stay in the thread",
          ),
        poll: e.PollSchema.extend({
          allowsSeveral: e.PollSchema.shape.allowsSeveral.default(false),
          endsAt: e.PollSchema.shape.endsAt.default(null),
        })
          .optional()
          .describe("makes the message a poll: its content is the question"),
        stickerId: e.id
          .optional()
          .describe(
            "one of the group's stickers or GIFs: its name replaces the content. Requires the permission to attach files",
          ),
        ...withCards,
        resend: z
          .boolean()
          .optional()
          .describe("true if this nonce was sent before: the server then looks up that message first"),
      })
      .refine(
        ({ content, attachmentIds, stickerId, cards = [] }) =>
          content !== "" || attachmentIds.length > 0 || stickerId !== undefined || cards.length > 0,
        "give a content, attachments, cards or a sticker",
      )
      .refine(
        ({ attachmentIds, poll, stickerId, cards, controls }) =>
          stickerId === undefined ||
          (attachmentIds.length === 0 && (poll ?? cards ?? controls) === undefined),
        "a sticker can't have attachments, cards or controls or be a poll",
      )
      .refine(
        ({ content, poll }) => content !== "" || poll === undefined,
        "give the question as the content",
      ),
    result: messageResult,
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    shardBy: "channelId",
    createsMessage: true,
    errors: [
      "BOTS_ONLY",
      "MUTED",
      "MESSAGE_NOT_FOUND",
      "EMOJI_NOT_FOUND",
      "FORBIDDEN",
      "SLOW_MODE",
      "MESSAGE_FILTERED",
      "MESSAGE_REFUSED",
    ],
    rateLimit: { points: 120, durationMs: 10_000 },
  }),
  edit: mutation({
    summary: "Edit the text of a message by the caller; a bot can also replace its cards and controls.",
    params: e.oneMessage
      .extend({
        content: e.messageContent
          .or(z.literal(""))
          .optional()
          .describe("absent: the text stays; empty only with attachments or cards"),
        cards: withCards.cards.describe("for bots; absent: they stay; empty: they are removed"),
        controls: withCards.controls.describe("likewise"),
      })
      .refine(
        ({ content, cards, controls }) => (content ?? cards ?? controls) !== undefined,
        "give a content, cards or controls",
      ),
    result: messageResult,
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: [
      "BOTS_ONLY",
      "MUTED",
      "MESSAGE_NOT_FOUND",
      "FORBIDDEN",
      "LIMIT_REACHED",
      "MESSAGE_FILTERED",
      "MESSAGE_REFUSED",
    ],
  }),
  sendEphemeral: mutation({
    summary: "Show a message of a bot to one user only. It is not stored.",
    params: e.inChannel.extend(ephemeral).refine(e.hasTextOrCards, "give a content or cards"),
    result: z.object({ ephemeral: e.EphemeralSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    errors: ["BOTS_ONLY", "MUTED", "MEMBER_NOT_FOUND", "MESSAGE_FILTERED", "MESSAGE_REFUSED"],
    rateLimit: { points: 30, durationMs: 10_000 },
  }),
  delete: mutation({
    summary: "Delete a message by the caller, or any message if the caller can manage messages.",
    params: e.oneMessage,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.write",
    shardBy: "channelId",
    audited: "message",
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN"],
  }),
  get: query({
    summary: "One message.",
    params: e.oneMessage.extend({ withUsers: e.withUsers }),
    result: z.object({ message: e.MessageSchema, users: e.referredUsers }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    errors: ["MESSAGE_NOT_FOUND"],
  }),
  list: query({
    summary:
      "A page of messages, ordered by seq: the newest, before, after or around a seq, or around a time.",
    params: e.inChannel
      .extend({
        before: position,
        after: position,
        around: position,
        atTime: e.time.optional().describe("around the first message at or after this time"),
        limit: e.pageLimit,
        withUsers: e.withUsers,
      })
      .refine(
        ({ before, after, around, atTime }) =>
          [before, after, around, atTime].filter((place) => place !== undefined).length <= 1,
        "give at most one of before, after, around and atTime",
      ),
    result: z.object({
      messages: z.array(e.MessageSchema),
      hasMore: hasMore.describe(
        "whether there can be more messages: newer ones for `after`, on either side for `around` and `atTime`, otherwise older " +
          "ones. Any page can have fewer messages than the limit, because its size in bytes is limited too",
      ),
      head: e.HeadSchema.describe("the head of the channel just before the page was read"),
      users: e.referredUsers,
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    isHeavy: true,
  }),
  listEdits: query({
    summary:
      "The earlier texts of an edited message, newest first, for its author and users who can manage messages.",
    params: e.oneMessage.extend({ before: e.seq.optional().describe("a version"), limit: e.pageLimit }),
    result: z.object({
      edits: z.array(
        z.object({
          version: e.seq.describe("0 for the original text"),
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
  endPoll: mutation({
    summary: "End a poll of the caller, or any poll if the caller can manage messages. Repeatable.",
    params: e.oneMessage,
    result: messageResult,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN"],
  }),
  react: mutation({
    summary:
      "React to a message. Repeatable; the message is updated a moment later. In a poll with one choice, a vote replaces the caller's earlier one.",
    params: e.oneMessage.extend({ emoji: e.reactionEmoji }),
    permission: { rule: "channel", can: "addReactions" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: ["MUTED", "MESSAGE_NOT_FOUND", "EMOJI_NOT_FOUND", "LIMIT_REACHED", "POLL_ENDED"],
    rateLimit: { points: 40, durationMs: 10_000 },
  }),
  unreact: mutation({
    summary: "Remove the caller's reaction. Repeatable.",
    params: storedReaction,
    permission: { rule: "channel", can: "view" },
    botScope: "messages.write",
    shardBy: "channelId",
    errors: ["MESSAGE_NOT_FOUND", "POLL_ENDED"],
    rateLimit: { points: 40, durationMs: 10_000 },
  }),
  listReactors: query({
    summary: "A page of the users who reacted with an emoji, ordered by id.",
    params: storedReaction.extend(e.pageOfUsers.shape),
    result: z.object({ userIds: z.array(e.id), nextUserId: e.id.nullable() }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    errors: ["MESSAGE_NOT_FOUND"],
  }),
  listReaders: query({
    summary:
      "The users who have read a message, without its author: those who can see the channel and have marked it, or a later message, as read.",
    params: e.oneMessage,
    result: z.object({
      userIds: z.array(e.id).max(LIMITS.pageMaxItems).describe("some of them, if there are more"),
      count: z
        .int()
        .max(LIMITS.readersCounted)
        .describe(
          `${LIMITS.readersCounted}: this many or more; above ${LIMITS.pageMaxItems}, it includes users who can no longer see the channel`,
        ),
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    isHeavy: true,
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
      "Pin a message to its channel. Requires the permission to manage messages, in direct channels to send them. Repeatable.",
    ...pinning,
  }),
  unpin: mutation({
    summary: "Unpin a message. Repeatable.",
    ...pinning,
  }),
  listPins: query({
    summary: "The pinned messages of a channel, most recently pinned first.",
    params: e.inChannel.extend({
      skip: z.int().min(0).max(LIMITS.pinsPerChannel).default(0).describe("the nextSkip of the page before"),
      withUsers: e.withUsers,
    }),
    result: z.object({
      messages: z.array(e.MessageSchema).max(LIMITS.pinsPerChannel),
      nextSkip: z
        .int()
        .nullable()
        .describe("null: this is the last page; the size of a page in bytes is limited"),
      users: e.referredUsers,
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
    isHeavy: true,
  }),
  post: internal({
    summary: "Send a message for a webhook or bot, optionally under another name.",
    params: sendParams.extend({
      content: e.messageContent.or(z.literal("")),
      attachmentIds: z
        .array(e.id)
        .max(LIMITS.attachmentsPerMessage)
        .default([])
        .describe("files that were uploaded for the author and this channel"),
      ...withCards,
      authorId: e.id,
      as: z.object({ name: e.nickname, avatarUrl: z.url().max(LIMITS.urlMaxChars).nullable() }).optional(),
    }),
    result: messageResult,
    errors: [
      "CHANNEL_NOT_FOUND",
      "FORBIDDEN",
      "MUTED",
      "MESSAGE_NOT_FOUND",
      "MESSAGE_FILTERED",
      "MESSAGE_REFUSED",
    ],
  }),
  answer: internal({
    summary: "The answer of a bot to a command or interaction, in the response to its callback.",
    params: e.inChannel
      .extend({
        ...ephemeral,
        authorId: e.id,
        as: z.enum(["message", "ephemeral", "update"]),
        content: e.messageContent.or(z.literal("")).optional(),
        controls: e.controls.optional(),
        messageId: e.id.optional().describe("to update: absent texts, cards and controls stay"),
        nonce: e.nonce,
      })
      .refine((answer) => answer.as === "update" || e.hasTextOrCards(answer), "give a content or cards"),
    errors: [
      "CHANNEL_NOT_FOUND",
      "FORBIDDEN",
      "MUTED",
      "MEMBER_NOT_FOUND",
      "MESSAGE_NOT_FOUND",
      "LIMIT_REACHED",
      "SLOW_MODE",
      "MESSAGE_FILTERED",
      "MESSAGE_REFUSED",
    ],
  }),
  recordCall: internal({
    summary:
      "Write the message about a call that has ended, by the user who started it. With the same callId, it is written once.",
    params: e.inChannel.extend({ callId: e.id, startedByUserId: e.id, call: e.EndedCallSchema }),
    result: messageResult,
    errors: ["CHANNEL_NOT_FOUND"],
  }),
  remove: internal({
    summary: "Delete a message for the admins. Repeatable.",
    params: e.oneMessage.extend({ rooms: z.array(z.string()) }),
  }),
  setEmbeds: internal({
    summary:
      "Set the link previews of a message; empty: none. Does nothing if it was edited since `editedAt`.",
    params: e.oneMessage.extend({
      embeds: z.array(e.EmbedSchema).max(LIMITS.embedsPerMessage),
      editedAt: e.time.nullable().describe("the message's value when its text was read"),
    }),
    result: z.object({ isSet: z.boolean() }),
  }),
  getMany: internal({
    summary: "The given messages that still exist, newest first. The caller checks who can see them.",
    params: z.object({ messageIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({
      messages: z.array(e.MessageSchema),
      stoppedAt: e.id
        .nullable()
        .describe("the first message that did not fit into the result: it and older ones were not read"),
    }),
  }),
  listContext: internal({
    summary:
      "The messages just before and after each of these, in the order of the params. The caller checks who can see them.",
    params: z.object({
      messages: z
        .array(z.object({ messageId: e.id, channelId: e.id, seq: e.seq }))
        .min(1)
        .max(LIMITS.searchPageMaxItems),
    }),
    result: z.object({ context: z.array(e.MessageContextSchema) }),
  }),
  findSent: internal({
    summary:
      "The attachments of the message that a user sent with a nonce; none if there is no such message or it is deleted.",
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
      "Messages that mention any of the keys (`mentionKey`), newest first; the caller has to leave out the user's own.",
    params: z.object({
      keys: z.array(e.mentionKey).min(1).max(LIMITS.mentionKeysPerLookup),
      before: e.id.optional().describe("a message's id: only older ones"),
      limit: e.pageLimit,
    }),
    result: z.object({ messages: z.array(e.MessageSchema), hasMore }),
  }),
  countMentions: internal({
    summary:
      "The number of messages by others that mention a user in each channel after a seq, in the order of the params.",
    params: z.object({
      userId: e.id,
      channels: z
        .array(
          z.object({
            channelId: e.id,
            afterSeq: e.seq,
            upToSeq: e.seq.optional().describe("default: the channel's head"),
            keys: z.array(e.mentionKey).min(1).max(LIMITS.mentionKeysPerLookup),
          }),
        )
        .max(LIMITS.channelsPerGroup),
    }),
    result: z.object({ counts: z.array(z.int().max(LIMITS.mentionsCounted)) }),
  }),
  removeChannels: internal({
    summary:
      "Delete all messages of these channels. Returns once the deletion is durably scheduled. Repeatable.",
    params: z.object({ channelIds: z.array(e.id).min(1).max(LIMITS.channelsPerGroup) }),
  }),
  listHeads: internal({
    summary: "The heads and a user's read markers of channels, in the order of the params.",
    params: z.object({ userId: e.id, channelIds: z.array(e.id).max(LIMITS.channelsPerGroup) }),
    result: z.object({
      heads: z.array(z.object({ channelId: e.id, head: e.HeadSchema, lastReadSeq: e.seq })),
    }),
  }),
};
