import { serviceError, type Handler } from "@fanfare/kernel";
import { isSameStanding } from "../session.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function login({ users, sessions, passwords }: UserDependencies): Handler<"user.login"> {
  return async ({ params: { username, password }, client }) => {
    // No username has an '@', so a name cannot stand for somebody else's address.
    const user = await (username.includes("@")
      ? users.findByEmail(username)
      : users.findByUsername(username));
    const matches = await passwords.verify(password, user?.passwordHash);
    if (user === null || !matches) throw serviceError("WRONG_CREDENTIALS");

    const userId = user._id.toHexString();
    const tokens = await sessions.open(user, client);
    // The password may have been changed, and all sessions ended, while this one was being opened with the old one.
    const now = await users.find(userId);
    if (now?.passwordHash !== user.passwordHash || !isSameStanding(now, user)) {
      await sessions.end(userId, tokens.sessionId);
      throw serviceError(now?.disabledAt === undefined ? "WRONG_CREDENTIALS" : "USER_DISABLED");
    }
    await sessions.trim(userId);
    return tokens;
  };
}
