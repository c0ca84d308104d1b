import { z } from "zod";
import { mutation, query } from "../define.ts";
import * as e from "../entities.ts";

export const userActions = {
  listSessions: query({
    summary: "The caller's active sessions, newest first.",
    result: z.object({ sessions: z.array(e.SessionSchema) }),
    permission: { rule: "session" },
  }),
  revokeSession: mutation({
    summary: "End one of the caller's sessions; its sockets close at once.",
    params: z.object({ sessionId: e.id }),
    permission: { rule: "session" },
    worksInMaintenance: true,
    errors: ["SESSION_NOT_FOUND"],
    // It can be this session, and then a result by socket would not arrive.
    transports: ["http"],
  }),
};
