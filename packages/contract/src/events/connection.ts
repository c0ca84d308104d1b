import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const connectionEvents = {
  ready: event({
    summary: "The socket is in all its rooms: from here on nothing is missed.",
    audience: "self",
    payload: z.object({ userId: e.id, sessionId: e.id, protocolVersion: z.int(), serverTime: e.time }),
  }),
  resync: event({
    summary: "This socket read too slowly and missed events: sync every channel.",
    audience: "self",
    payload: z.object({}),
  }),
  "server.draining": event({
    summary: "This server is going away: reconnect after a random part of the given time.",
    audience: "self",
    payload: z.object({ reconnectWithinMs: z.int() }),
  }),
  "session.revoked": event({
    summary: "This session has ended; the socket closes.",
    audience: "self",
    payload: z.object({ sessionIds: z.array(e.id).nullable().describe("null: all sessions of the user") }),
  }),
};
