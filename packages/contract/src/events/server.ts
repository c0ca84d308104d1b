import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const serverEvents = {
  "server.announced": event("everybody", "Who runs this server has something to tell everybody.", {
    text: z.string(),
    announcedAt: e.time,
  }),
  "server.paused": event("everybody", "Nobody but admins can change anything until `server.resumed`.", {
    message: z.string(),
  }),
  "server.resumed": event("everybody", "Everything can be done again.", {}),
};

export const connectionEvents = {
  ready: event(
    "self",
    "The socket is in all rooms of its user. Call channel.sync now: events of the time before were not kept.",
    { userId: e.id, sessionId: e.id, protocolVersion: z.int(), serverTime: e.time },
  ),
  resync: event(
    "self",
    "Events for this socket may have been lost, because it read too slowly or processes lost contact: call channel.sync for every channel.",
    {},
  ),
  "server.draining": event(
    "self",
    "This server is stopping: reconnect after a random part of the given time, or when the socket is closed.",
    { reconnectWithinMs: z.int() },
  ),
  "session.revoked": event("self", "This session has ended; the socket closes.", {
    sessionIds: z.array(e.id).nullable().describe("null: all sessions of the user"),
  }),
};
