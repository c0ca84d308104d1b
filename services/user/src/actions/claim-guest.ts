import { userRoom, type SessionTokens } from "@fanfare/contract";
import { serviceError, withoutDeadline, type Handler } from "@fanfare/kernel";
import { assertCanRegister, assertPasswordsAccepted } from "../entry.policy.ts";
import { mustVerifyFirst } from "../session.policy.ts";
import { refuseTaken, throwTaken } from "../taken.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentUser } from "../user.presenter.ts";

export function claimGuest(dependencies: UserDependencies): Handler<"user.claimGuest"> {
  const { node, users, admins, sessions, passwords, accountMails, invitedAccounts } = dependencies;
  return async ({ params, actor, client }) => {
    // The token may be older than a claim by another session, so the document decides.
    const guest = await users.find(actor.userId);
    if (guest?.kind !== "guest") throw serviceError("NOT_A_GUEST");
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    assertCanRegister(policy, params);
    const { username, password, locale, inviteCode } = params;
    if (inviteCode !== undefined) await invitedAccounts.check(inviteCode);
    const { email, contestedEmail } = await refuseTaken(users, params, accountMails.canSend);
    const passwordHash = await passwords.hash(password, {
      username,
      nickname: guest.nickname,
      email: params.email,
    });
    // Guests can join too, so nothing has to be undone where the claim fails.
    if (inviteCode !== undefined) await invitedAccounts.join(actor.userId, inviteCode);
    const user = await admins.withFirst(actor.userId, async (isFirst) => {
      const credentials = {
        username,
        email,
        passwordHash,
        nickname: guest.nickname,
        locale,
        mustVerifyEmail: policy.mailDomains.length > 0,
      };
      const claimed = await users.claimGuest(actor.userId, credentials, isFirst).catch(throwTaken);
      if (claimed === null) throw serviceError("NOT_A_GUEST");
      return claimed;
    });
    const finish = async (): Promise<SessionTokens> => {
      // First, so that no session of the guest remains when something below fails.
      const tokens = mustVerifyFirst(user) ? null : await sessions.continueAlone(user, actor.sessionId);
      if (tokens === null) await sessions.endAll(actor.userId);
      await accountMails.welcome(user, contestedEmail ?? email, client);
      const profile = { user: presentUser(user) };
      node.publish(userRoom(actor.userId), "user.updated", profile);
      node.broadcast("user.profileChanged", profile);
      if (tokens === null) throw serviceError("EMAIL_NOT_VERIFIED");
      return tokens;
    };
    // The guest is an account now, so the rest must not be cut off halfway.
    return withoutDeadline(finish);
  };
}
