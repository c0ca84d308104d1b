import { z } from "zod";
import { internal, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const text = z.string().max(LIMITS.searchTextMaxChars);

export const messageActions = {
  search: query({
    summary:
      "A page of the messages that have all of this, newest first: of a channel with its threads, of all channels of a group that the " +
      "caller sees, or of all their groups and direct messages.",
    params: z
      .object({
        groupId: e.id.optional(),
        channelId: e.id.optional(),
        everywhere: z
          .literal(true)
          .optional()
          .describe("in all groups and direct messages that the caller is in at this moment"),
        text: text
          .optional()
          .describe(
            "words in any order; they also find longer words that begin with them (from four characters on) and other forms of English " +
              'words, but not in double quotes: "build". Chinese and Japanese also in parts of words',
          ),
        from: e.id.optional().describe("their author"),
        mentions: e.id.optional().describe("a user"),
        has: z.array(e.messageTrait).max(e.messageTrait.options.length).default([]),
        after: e.time.optional(),
        before: e.time.optional(),
        cursor: e.id.optional().describe("nextCursor of the page before"),
        limit: z.int().min(1).max(LIMITS.searchPageMaxItems).default(25),
        withContext: z
          .boolean()
          .optional()
          .describe("also return what was written just before and after each message"),
        withUsers: e.withUsers,
      })
      .refine(
        ({ groupId, channelId, everywhere }) =>
          [groupId, channelId, everywhere].filter((scope) => scope !== undefined).length === 1,
        "give exactly one of groupId, channelId and everywhere",
      )
      .refine(
        ({ text = "", from, mentions, has }) =>
          /[\p{L}\p{N}]/u.test(text) || from !== undefined || mentions !== undefined || has.length > 0,
        "give a text with words, from, mentions or has",
      ),
    result: z.object({
      messages: z.array(e.MessageSchema),
      context: z
        .array(e.MessageContextSchema)
        .optional()
        .describe(
          "with withContext: in the order of the messages. It can contain messages that were found, too",
        ),
      threads: z.array(e.ChannelSchema).describe("the threads that contain some of the messages"),
      nextCursor: e.id.nullable().describe("null: this is the last page. Earlier pages can be empty"),
      isComplete: z.boolean().describe("false: some messages are still to be indexed; search again later"),
      users: e.referredUsers,
    }),
    permission: { rule: "session" },
    botScope: "messages.read",
    isHeavy: true,
    errors: ["GROUP_NOT_FOUND", "CHANNEL_NOT_FOUND"],
    rateLimit: { points: 10, durationMs: 10_000 },
  }),
};

export const searchActions = {
  filterMessages: internal({
    summary:
      "Those of the messages that have all words of the text, as `message.search` understands them. The caller checks who can see them.",
    params: z.object({ messageIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems), text }),
    result: z.object({ messageIds: z.array(e.id) }),
  }),
  indexChannel: internal({
    summary: "Index the next changes of a channel now.",
    params: e.inChannel,
    result: z.object({ isComplete: z.boolean() }),
  }),
};
