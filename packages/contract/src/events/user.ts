import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const userEvents = {
  "user.updated": event({
    summary: "A profile changed: one's own, or that of somebody in a common group.",
    audience: "group",
    payload: z.object({ user: e.UserSchema }),
  }),
  "account.updated": event({
    summary:
      "What only the user sees of the own account has changed: its address, language, second factor or OIDC login.",
    audience: "self",
    payload: z.object({ user: e.OwnUserSchema }),
  }),
};
