import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const inGroup = z.object({ groupId: e.id });
const manageGroup = { rule: "group", can: "manageGroup" } as const;
const internal = { rule: "internal" } as const;

/** What may be written in a group. */
export const moderationActions = {
  "group.getWordFilter": action({
    summary: "The words that are not to be written in the group.",
    params: inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
  }),
  "group.setWordFilter": action({
    summary:
      "Words and phrases that are not to be written in the group by those without manageMessages; none of them: no filter.",
    params: inGroup.extend({
      words: z.array(e.filteredWord).max(LIMITS.wordsPerFilter),
      onHit: e.wordFilterAction.default("block"),
    }),
    result: z.object({ wordFilter: e.WordFilterSchema }),
    permission: manageGroup,
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  "group.readWordFilter": action({
    summary: "As group.getWordFilter, for the service that applies it.",
    params: inGroup,
    result: z.object({ wordFilter: e.WordFilterSchema, rev: z.int() }),
    permission: internal,
  }),
};
