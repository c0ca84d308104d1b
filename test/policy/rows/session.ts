import { row } from "../row.ts";

export const sessionRows = {
  "user.listSessions": row("user.listSessions", () => ({})),
  "user.revokeSession": row("user.revokeSession", ({ target }) => ({ sessionId: target.sessionId }), {
    why: "the session is another user's",
    allowed: "SESSION_NOT_FOUND",
  }),
};
