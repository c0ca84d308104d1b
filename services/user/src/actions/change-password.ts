import { serviceError, type Handler } from "@fanfare/kernel";
import { isSameStanding } from "../session.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function changePassword(dependencies: UserDependencies): Handler<"user.changePassword"> {
  const { users, sessionRepository, sessions, passwords, confirmPassword, mailedTokens, accountMails } =
    dependencies;
  return async ({ params, actor, client }) => {
    const { passwordHash: oldHash } = await confirmPassword(actor.userId, params.oldPassword);
    const session = await sessionRepository.find(actor.sessionId);
    if (session === null || session.revokedAt !== undefined) throw serviceError("SESSION_REVOKED");
    const newHash = await passwords.hash(params.newPassword);
    // First, and below again those that were opened meanwhile: a process that dies in between must not leave a session that
    // the new password was to put an end to, for the old password does not get anybody back here.
    await sessions.endOthers(actor.userId, actor.sessionId);
    const changed = await users.replacePasswordHash(actor.userId, oldHash, newHash);
    if (changed === null) throw serviceError("WRONG_CREDENTIALS");
    // Another session, so that access tokens of this one are dead too, whoever may have read one.
    const tokens = await sessions.open(changed, client);
    await sessions.endOthers(actor.userId, tokens.sessionId);
    // Somebody may have been put out while it was being opened.
    if (!isSameStanding(await users.find(actor.userId), changed)) {
      await sessions.end(actor.userId, tokens.sessionId);
      throw serviceError("SESSION_REVOKED");
    }
    // Nor may a link, to a new address for one, that was asked for with the old password.
    await mailedTokens.removeAll(actor.userId, ["resetPassword", "verifyEmail"]);
    accountMails.notify(changed, "passwordChanged");
    return tokens;
  };
}
