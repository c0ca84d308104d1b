import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";

export const userActions = {
  listSessions: action({
    summary: "The caller's living sessions, newest first.",
    params: z.object({}),
    result: z.object({ sessions: z.array(e.SessionSchema) }),
    permission: { rule: "session" },
    mutates: false,
    botScope: null,
    cost: 1,
  }),
  revokeSession: action({
    summary: "End one of the caller's sessions; its sockets close at once.",
    params: z.object({ sessionId: e.id }),
    result: z.object({}),
    permission: { rule: "session" },
    mutates: true,
    worksInMaintenance: true,
    botScope: null,
    cost: 2,
    errors: ["SESSION_NOT_FOUND"],
    // It may be this one, and then an answer by socket would not arrive.
    transports: ["http"],
  }),
};
