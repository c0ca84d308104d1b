import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function changePassword(dependencies: UserDependencies): Handler<"user.changePassword"> {
  const { users, sessions, passwords } = dependencies;
  return async ({ params, actor }) => {
    const user = await users.find(actor.userId);
    const oldHash = user?.passwordHash;
    const matches = await passwords.verify(params.oldPassword, oldHash);
    if (oldHash === undefined || !matches) throw serviceError("WRONG_CREDENTIALS");
    const newHash = await passwords.hash(params.newPassword);
    // First, and below again those that were opened meanwhile: a process that dies in between must not leave a session that
    // the new password was to put an end to, for the old password does not get anybody back here.
    await sessions.endOthers(actor.userId, actor.sessionId);
    const changed = await users.replacePasswordHash(actor.userId, oldHash, newHash);
    if (changed === null) throw serviceError("WRONG_CREDENTIALS");
    return sessions.continueAlone(changed, actor.sessionId);
  };
}
