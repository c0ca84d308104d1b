import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const userEvents = {
  "user.updated": event({
    summary: "A profile changed: one's own, or that of somebody in a common group.",
    audience: "group",
    payload: z.object({ user: e.UserSchema }),
  }),
};
