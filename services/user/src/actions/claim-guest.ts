import { userRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { refuseTaken, throwTaken } from "../taken.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentUser } from "../user.presenter.ts";

export function claimGuest(dependencies: UserDependencies): Handler<"user.claimGuest"> {
  const { node, users, admins, sessions, passwords, accountMails } = dependencies;
  return async ({ params, actor, client }) => {
    // The token may be older than a claim by another session, so the document decides.
    const guest = await users.find(actor.userId);
    if (guest?.kind !== "guest") throw serviceError("NOT_A_GUEST");
    const { email, contestedEmail } = await refuseTaken(users, params, accountMails.canSend);
    const { username, password, locale } = params;
    const passwordHash = await passwords.hash(password);
    const user = await admins.withFirst(actor.userId, async (isFirst) => {
      const credentials = { username, email, passwordHash, nickname: guest.nickname, locale };
      const claimed = await users.claimGuest(actor.userId, credentials, isFirst).catch(throwTaken);
      if (claimed === null) throw serviceError("NOT_A_GUEST");
      return claimed;
    });
    const tokens = await sessions.continueAlone(user, actor.sessionId);
    await accountMails.welcome(user, contestedEmail ?? email, client);
    const profile = { user: presentUser(user) };
    node.publish(userRoom(actor.userId), "user.updated", profile);
    node.broadcast("user.profileChanged", profile);
    return tokens;
  };
}
