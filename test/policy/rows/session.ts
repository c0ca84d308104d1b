import { loggedIn, outcomes, row } from "../row.ts";

const notTheirs = "SESSION_NOT_FOUND";

export const sessionRows = {
  "user.listSessions": row("user.listSessions", loggedIn, () => ({})),
  // The session is somebody else's.
  "user.revokeSession": row(
    "user.revokeSession",
    outcomes("UNAUTHENTICATED", notTheirs, notTheirs, notTheirs, notTheirs),
    ({ target }) => ({ sessionId: target.sessionId }),
  ),
};
