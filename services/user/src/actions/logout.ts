import type { Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function logout({ sessions }: UserDependencies): Handler<"user.logout"> {
  return async ({ actor }) => {
    await sessions.end(actor.userId, actor.sessionId);
    return {};
  };
}

export function logoutAll({ sessions }: UserDependencies): Handler<"user.logoutAll"> {
  return async ({ actor }) => {
    await sessions.endAll(actor.userId);
    return {};
  };
}

export function listRevokedSessions({
  sessionRepository,
}: UserDependencies): Handler<"user.listRevokedSessions"> {
  return async ({ params: { withinMs } }) => ({
    sessionIds: await sessionRepository.listRevokedIds(withinMs),
  });
}
