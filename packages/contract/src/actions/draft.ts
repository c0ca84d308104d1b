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
