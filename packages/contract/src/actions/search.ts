import { z } from "zod";
import { internal, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

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
        text: z
          .string()
          .max(LIMITS.searchTextMaxChars)
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
  indexChannel: internal({
    summary: "Index the next changes of a channel now.",
    params: e.inChannel,
    result: z.object({ isComplete: z.boolean() }),
  }),
};
