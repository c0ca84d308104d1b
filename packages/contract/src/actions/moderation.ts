import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const manageGroup = { rule: "group", can: "manageGroup" } as const;

/** What may be written in a group. */
export const groupActions = {
  getWordFilter: query({
    summary: "The words that are not to be written in the group.",
    params: e.inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
  }),
  setWordFilter: mutation({
    summary:
      "Words and phrases that are not to be written in the group by those without manageMessages; none of them: no filter.",
    params: e.inGroup.extend({
      words: z.array(e.filteredWord).max(LIMITS.wordsPerFilter),
      onHit: e.wordFilterAction.default("block"),
    }),
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
    audited: "group",
    rateLimit: perMinute(30),
  }),
  setRetention: mutation({
    summary:
      "Messages of the group that are older than this are removed for ever, pinned ones too. null: they are kept as long as the instance keeps any.",
    params: e.inGroup.extend({ days: e.retentionDays.nullable() }),
    result: z.object({ group: e.GroupSchema }),
    permission: manageGroup,
    audited: "group",
    rateLimit: perMinute(10),
  }),
  listRetention: internal({
    summary:
      "A page of all channels that messages are written in, and for how many days their groups keep them.",
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
    summary: "As group.getWordFilter, for the service that applies it.",
    params: e.inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema, rev: z.int() }),
  }),
};
