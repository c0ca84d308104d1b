import { z } from "zod";
import { mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

export const draftActions = {
  set: mutation({
    summary: "Save the caller's draft in a channel for all of their devices. The last change wins.",
    params: e.inChannel.extend({ content: e.draftContent.describe("empty: removes the draft") }),
    result: z.object({ draft: e.DraftSchema }),
    permission: { rule: "channel", can: "view" },
    rateLimit: perMinute(120),
  }),
  list: query({
    summary: "The caller's drafts, most recently changed first.",
    result: z.object({ drafts: z.array(e.DraftSchema).max(LIMITS.draftsPerUser) }),
    permission: { rule: "session" },
  }),
};

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

const scheduled = z.object({ scheduled: e.ScheduledMessageSchema });
const oneScheduled = z.object({ scheduledId: e.id });
const sendAt = e.time.describe(
  `at most ${LIMITS.scheduleMaxMs / 86_400_000} days ahead; it is sent within 15 seconds after that time`,
);
const scheduledLimit = perMinute(60);

export const scheduledActions = {
  add: mutation({
    summary:
      "Schedule a message. It is sent as if the caller sent it at that time, so it fails if they may no longer send there.",
    params: e.inChannel.extend({ content: e.messageContent, sendAt }),
    result: scheduled,
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    errors: ["MUTED", "LIMIT_REACHED"],
    rateLimit: scheduledLimit,
  }),
  change: mutation({
    summary:
      "Change the text or the time of a scheduled message. A failed one is tried again at the new time.",
    params: oneScheduled.extend({ content: e.messageContent.optional(), sendAt: sendAt.optional() }),
    result: scheduled,
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["SCHEDULED_NOT_FOUND"],
    rateLimit: scheduledLimit,
  }),
  remove: mutation({
    summary: "Remove a scheduled message, so that it is not sent. Repeatable.",
    params: oneScheduled,
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["SCHEDULED_NOT_FOUND"],
  }),
  list: query({
    summary: "The caller's scheduled messages, next one first.",
    result: z.object({ scheduled: z.array(e.ScheduledMessageSchema).max(LIMITS.scheduledPerUser) }),
    permission: { rule: "session" },
    botScope: "messages.write",
  }),
};
