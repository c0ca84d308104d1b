import type { Session } from "@fanfare/contract";
import type { SessionDocument } from "./session.repository.ts";

/** What only the user may see of a session. */
export function presentSession(session: SessionDocument, currentId: string): Session {
  const id = session._id;
  return {
    id,
    current: id === currentId,
    address: session.address ?? null,
    userAgent: session.userAgent ?? null,
    createdAt: session.createdAt.toISOString(),
    refreshedAt: session.refreshedAt.toISOString(),
  };
}
