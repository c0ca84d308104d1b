import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const serverEvents = {
  "server.announced": event({
    summary: "Who runs this server has something to tell everybody.",
    audience: "everybody",
    payload: z.object({ text: z.string(), announcedAt: e.time }),
  }),
  "server.paused": event({
    summary: "Nobody but admins can change anything until `server.resumed`.",
    audience: "everybody",
    payload: z.object({ message: z.string() }),
  }),
  "server.resumed": event({
    summary: "Everything can be done again.",
    audience: "everybody",
    payload: z.object({}),
  }),
};

export const connectionEvents = {
  ready: event({
    summary:
      "The socket is in all rooms of its user. Call channel.sync now: events of the time before were not kept.",
    audience: "self",
    payload: z.object({ userId: e.id, sessionId: e.id, protocolVersion: z.int(), serverTime: e.time }),
  }),
  resync: event({
    summary:
      "Events for this socket may have been lost, because it read too slowly or processes lost contact: call channel.sync for every channel.",
    audience: "self",
    payload: z.object({}),
  }),
  "server.draining": event({
    summary:
      "This server is stopping: reconnect after a random part of the given time, or when the socket is closed.",
    audience: "self",
    payload: z.object({ reconnectWithinMs: z.int() }),
  }),
  "session.revoked": event({
    summary: "This session has ended; the socket closes.",
    audience: "self",
    payload: z.object({ sessionIds: z.array(e.id).nullable().describe("null: all sessions of the user") }),
  }),
};
