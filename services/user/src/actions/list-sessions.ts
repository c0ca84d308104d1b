import { serviceError, type Handler } from "@fanfare/kernel";
import { presentSession } from "../session.presenter.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function listSessions({ sessionRepository }: UserDependencies): Handler<"user.listSessions"> {
  return async ({ actor }) => {
    const found = await sessionRepository.listLiving(actor.userId, new Date());
    return { sessions: found.map((session) => presentSession(session, actor.sessionId)) };
  };
}

export function revokeSession({ sessions }: UserDependencies): Handler<"user.revokeSession"> {
  return async ({ params: { sessionId }, actor }) => {
    if (!(await sessions.endOne(actor.userId, sessionId))) throw serviceError("SESSION_NOT_FOUND");
    return {};
  };
}
