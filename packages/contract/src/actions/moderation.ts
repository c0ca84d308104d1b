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
