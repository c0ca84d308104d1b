import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { messageRuleName } from "./group.ts";
import { entity, id, time } from "./primitives.ts";

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
