import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const manageGroup = { rule: "group", can: "manageGroup" } as const;

/** Word filters and retention of groups. */
export const groupActions = {
  getWordFilter: query({
    summary: "The word filter of the group, and its other rules for messages.",
    params: e.inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
  }),
  setWordFilter: mutation({
    summary:
      "Set the words and phrases that members without manageMessages can't write in the group (empty: no filter), and other rules " +
      "for their messages. What is left out stays as it is.",
    params: e.inGroup.extend({
      words: z.array(e.filteredWord).max(LIMITS.wordsPerFilter).optional(),
      onHit: e.wordFilterAction.optional(),
      rules: e.MessageRulesSchema.optional(),
    }),
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
    audited: "group",
    rateLimit: perMinute(30),
  }),
  setRetention: mutation({
    summary:
      "Set the retention of the group: older messages are permanently deleted, including pinned ones. null: the retention of the instance.",
    params: e.inGroup.extend({ days: e.retentionDays.nullable() }),
    result: z.object({ group: e.GroupSchema }),
    permission: manageGroup,
    audited: "group",
    rateLimit: perMinute(10),
  }),
  listRetention: internal({
    summary: "A page of all channels with messages, and the retention of their groups in days.",
    params: z.object({
      afterChannelId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.channelsPerRetentionPage),
    }),
    result: z.object({
      channels: z.array(z.object({ channelId: e.id, days: z.int().nullable() })),
      nextChannelId: e.id.nullable(),
    }),
  }),
  readWordFilter: internal({
    summary: "Like group.getWordFilter, but with the revision of the filter.",
    params: e.inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema, rev: z.int() }),
  }),
};

const pageParams = z.object({
  cursor: e.id.optional().describe("the nextCursor of the page before"),
  limit: z.int().min(1).max(LIMITS.reportsPageMaxItems).default(LIMITS.reportsPageMaxItems),
});
const reportPage = z.object({
  reports: z.array(e.ReportSchema),
  nextCursor: e.id
    .nullable()
    .describe("null: this is the last page. Any page can have fewer reports than the limit"),
});
const openCount = z.object({
  open: z
    .int()
    .max(LIMITS.reportsCounted)
    .describe(`the number of reported messages; ${LIMITS.reportsCounted}: this many or more`),
});
const closing = z.object({ reportId: e.id, outcome: e.reportOutcome });
const moderators = { rule: "group", can: "manageMessages" } as const;
const admins = { rule: "admin" } as const;

export const reportActions = {
  create: mutation({
    summary:
      "Report a message: in a group to the members who can manage messages, in a direct channel to the admins of this server. " +
      "The text of the message is kept with the report.",
    params: e.oneMessage.extend({
      reason: e.reportReason,
      details: e.reportDetails.default(""),
    }),
    permission: { rule: "channel", can: "view" },
    errors: ["MESSAGE_NOT_FOUND", "ALREADY_REPORTED", "FORBIDDEN"],
    rateLimit: perMinute(10),
  }),
  list: query({
    summary:
      "A page of the open reports in channels of the group where the caller can manage messages, most recently opened first.",
    params: e.inGroup.extend(pageParams.shape),
    result: reportPage,
    permission: moderators,
    botScope: "messages.manage",
  }),
  getOpenCount: query({
    summary: "How many messages have open reports that report.list returns.",
    params: e.inGroup,
    result: openCount,
    permission: moderators,
    botScope: "messages.manage",
  }),
  close: mutation({
    summary:
      "Close the reports of a message. Only the owner of the group can close those of their own messages.",
    params: e.inGroup.extend(closing.shape),
    permission: moderators,
    botScope: "messages.manage",
    audited: "message",
    errors: ["REPORT_NOT_FOUND", "FORBIDDEN"],
  }),
  createByRule: internal({
    summary: "Report a message because of a rule of its group.",
    params: e.ReportSchema.omit({ id: true, reporters: true }).extend({
      groupId: e.id,
      rule: e.messageRuleName,
    }),
  }),
  listDirect: internal({
    summary: "The page of reports for admin.listReports.",
    params: pageParams,
    result: reportPage,
  }),
  getOpenDirectCount: internal({
    summary: "How many messages in direct channels have open reports.",
    result: openCount,
  }),
  closeDirect: internal({
    summary: "Like admin.closeReport, but for the admin with this `userId`.",
    params: closing.extend({ userId: e.id }),
    errors: ["REPORT_NOT_FOUND"],
  }),
};

export const adminActions = {
  listReports: query({
    summary: "A page of the open reports of messages in direct channels, most recently opened first.",
    params: pageParams,
    result: reportPage,
    permission: admins,
  }),
  getOpenReportCount: query({
    summary: "How many messages in direct channels have open reports.",
    result: openCount,
    permission: admins,
  }),
  closeReport: mutation({
    summary: "Close the reports of a message in a direct channel.",
    params: closing,
    permission: admins,
    errors: ["REPORT_NOT_FOUND"],
  }),
};
