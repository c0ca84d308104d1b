import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const messageEvents = {
  "message.created": event({
    summary: "New messages of one channel, in order: those that were stored together come together.",
    audience: "channel",
    payload: z.object({ channelId: e.id, messages: z.array(e.MessageSchema) }),
  }),
  "message.changed": event({
    summary: "A message was edited.",
    audience: "channel",
    payload: z.object({ message: e.MessageSchema }),
  }),
  "message.deleted": event({
    summary: "A message was deleted; what remains of it is here.",
    audience: "channel",
    payload: z.object({ message: e.MessageSchema }),
  }),
};
