import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const inGroup = z.object({ groupId: e.id });
const manageGroup = { rule: "group", can: "manageGroup" } as const;
const internal = { rule: "internal" } as const;

/** What may be written in a group. */
export const groupActions = {
  getWordFilter: action({
    summary: "The words that are not to be written in the group.",
    params: inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
    mutates: false,
    botScope: null,
    cost: 1,
  }),
  setWordFilter: action({
    summary:
      "Words and phrases that are not to be written in the group by those without manageMessages; none of them: no filter.",
    params: inGroup.extend({
      words: z.array(e.filteredWord).max(LIMITS.wordsPerFilter),
      onHit: e.wordFilterAction.default("block"),
    }),
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
    mutates: true,
    botScope: null,
    cost: 2,
    audited: "group",
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  setRetention: action({
    summary:
      "Messages of the group that are older than this are removed for ever, pinned ones too. null: they are kept as long as the instance keeps any.",
    params: inGroup.extend({ days: e.retentionDays.nullable() }),
    result: z.object({ group: e.GroupSchema }),
    permission: manageGroup,
    mutates: true,
    botScope: null,
    cost: 2,
    audited: "group",
    rateLimit: { points: 10, durationMs: 60_000 },
  }),
  listRetention: action({
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
    permission: internal,
  }),
  readWordFilter: action({
    summary: "As group.getWordFilter, for the service that applies it.",
    params: inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema, rev: z.int() }),
    permission: internal,
  }),
};
