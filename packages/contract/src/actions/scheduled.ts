import { z } from "zod";
import { mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const scheduled = z.object({ scheduled: e.ScheduledMessageSchema });
const one = z.object({ scheduledId: e.id });
const sendAt = e.time.describe(
  `at most ${LIMITS.scheduleMaxMs / 86_400_000} days ahead; it is sent within 15 seconds after that time`,
);
const rateLimit = perMinute(60);

export const scheduledActions = {
  add: mutation({
    summary:
      "Schedule a message. It is sent as if the caller sent it at that time, so it fails if they may no longer send there.",
    params: e.inChannel.extend({ content: e.messageContent, sendAt }),
    result: scheduled,
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    errors: ["MUTED", "LIMIT_REACHED"],
    rateLimit,
  }),
  change: mutation({
    summary:
      "Change the text or the time of a scheduled message. A failed one is tried again at the new time.",
    params: one.extend({ content: e.messageContent.optional(), sendAt: sendAt.optional() }),
    result: scheduled,
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["SCHEDULED_NOT_FOUND"],
    rateLimit,
  }),
  remove: mutation({
    summary: "Remove a scheduled message, so that it is not sent. Repeatable.",
    params: one,
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
