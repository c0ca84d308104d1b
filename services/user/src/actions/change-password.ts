import { serviceError, withoutDeadline, type Handler } from "@fanfare/kernel";
import { isSameStanding } from "../session.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function changePassword(dependencies: UserDependencies): Handler<"user.changePassword"> {
  const { node, users, sessionRepository, sessions, passwords, confirmPassword, mailedTokens, accountMails } =
    dependencies;
  return async ({ params, actor, client }) => {
    const user = await confirmPassword(actor.userId, params.oldPassword);
    const { passwordHash: oldHash } = user;
    const session = await sessionRepository.find(actor.sessionId);
    if (session === null || session.revokedAt !== undefined) throw serviceError("SESSION_REVOKED");
    const newHash = await passwords.hash(params.newPassword, user);
    const revokeTokens = async (): Promise<void> => {
      if (params.revokeTokens)
        await node.call("bot.revokeTokensOf", { userId: actor.userId, deleteBots: false });
    };
    // Before the change, so that the same call can be repeated where this fails.
    await revokeTokens();
    const finish = async () => {
      // Other sessions end before the change, and those that were opened meanwhile after it: if the process dies in between, no
      // session is left that the new password was meant to end, and the old password cannot be used to get here again.
      await sessions.endOthers(actor.userId, actor.sessionId);
      const changed = await users.replacePasswordHash(actor.userId, oldHash, newHash);
      if (changed === null) throw serviceError("WRONG_CREDENTIALS");
      // A link that was requested with the old password, for example to a new address, must not work any more.
      await mailedTokens.removeAll(actor.userId, ["resetPassword", "verifyEmail"]);
      // Another session, so that access tokens of this one are dead too, whoever may have read one.
      const tokens = await sessions.open(changed, client);
      await sessions.endOthers(actor.userId, tokens.sessionId);
      // Those that another session made meanwhile.
      await revokeTokens();
      // Somebody may have been put out while it was being opened.
      if (!isSameStanding(await users.find(actor.userId), changed)) {
        await sessions.end(actor.userId, tokens.sessionId);
        throw serviceError("SESSION_REVOKED");
      }
      await accountMails.notify(changed, "passwordChanged");
      return tokens;
    };
    // Once other sessions have ended, the rest must not be cut off halfway.
    return withoutDeadline(finish);
  };
}
