import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const botEvents = {
  "command.invoked": event({
    summary: "To a bot: somebody has written one of its commands.",
    audience: "self",
    payload: z.object({ invocation: e.InvocationSchema }),
  }),
  "bot.disabled": event({
    summary: "To who has made a bot: its callbacks have failed too often, and are not tried any more.",
    audience: "self",
    payload: z.object({ groupId: e.id, botId: e.id, lastError: z.string() }),
  }),
};
