import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const presenceEvents = {
  "presence.changed": event({
    summary: "Users that this socket watches look different now: gathered for a second.",
    audience: "watchers",
    payload: z.object({ presences: z.array(e.PresenceSchema) }),
  }),
  "typing.started": event({
    summary:
      "Somebody is writing, until the time is over or their message is here. In a crowd most are left out.",
    audience: "channel",
    payload: z.object({ channelId: e.id, userId: e.id, expiresInMs: z.int() }),
  }),
};
