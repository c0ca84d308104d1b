import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const inboxEvents = {
  "inbox.added": event({
    summary:
      "A message mentions the user by name, or answers one of the user's. Mentions of roles and of everybody are seen by `message.created`.",
    audience: "self",
    payload: z.object({ message: e.MessageSchema, groupId: e.id.nullable() }),
  }),
  "inbox.updated": event({
    summary: "Another session of the user has read the inbox, or cleared it.",
    audience: "self",
    payload: z.object({ marker: e.InboxMarkerSchema }),
  }),
};
