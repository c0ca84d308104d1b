import { z } from "zod";
import { mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const saved = z.object({ saved: e.SavedMessageSchema });

export const savedActions = {
  add: mutation({
    summary:
      "Save a message for later, with or without a reminder. Only the caller knows. For a saved message, it changes the reminder.",
    params: e.oneMessage.extend({
      remindAt: e.time
        .nullable()
        .default(null)
        .describe("a reminder comes within 15 seconds after this time"),
    }),
    result: saved,
    permission: { rule: "channel", can: "view" },
    errors: ["MESSAGE_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: perMinute(120),
  }),
  remove: mutation({
    summary: "Remove a message from those saved for later. Repeatable.",
    params: z.object({ messageId: e.id }),
    permission: { rule: "session" },
  }),
  list: query({
    summary: "What the caller saved for later, without the messages.",
    result: z.object({ saved: z.array(e.SavedMessageSchema).max(LIMITS.savedPerUser) }),
    permission: { rule: "session" },
  }),
  listMessages: query({
    summary:
      "A page of the messages that the caller saved for later, most recently saved first. Messages that were deleted or that the caller " +
      "can no longer see are left out.",
    params: z.object({
      text: z
        .string()
        .max(LIMITS.searchTextMaxChars)
        .optional()
        .describe("only messages with all of its words, as in message.search"),
      cursor: e.id.optional().describe("the nextCursor of the page before"),
      limit: z.int().min(1).max(LIMITS.savedPageMaxItems).default(LIMITS.savedPageMaxItems),
      withUsers: e.withUsers,
    }),
    result: z.object({
      items: z.array(
        z.object({
          message: e.MessageSchema,
          groupId: e.id.nullable().describe("null in a direct channel"),
        }),
      ),
      nextCursor: e.id
        .nullable()
        .describe("null: this is the last page. Any page can have fewer items than the limit"),
      users: e.referredUsers,
    }),
    permission: { rule: "session" },
    isHeavy: true,
  }),
};
