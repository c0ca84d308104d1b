import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function login({ users, sessions, passwords }: UserDependencies): Handler<"user.login"> {
  return async ({ params: { username, password } }) => {
    // No username has an '@', so a name cannot stand for somebody else's address.
    const user = await (username.includes("@")
      ? users.findByEmail(username)
      : users.findByUsername(username));
    const matches = await passwords.verify(password, user?.passwordHash);
    if (user === null || !matches) throw serviceError("WRONG_CREDENTIALS");

    const userId = user._id.toHexString();
    const tokens = await sessions.open(user);
    // The password may have been changed, and all sessions ended, while this one was being opened with the old one.
    const now = await users.find(userId);
    if (now?.passwordHash !== user.passwordHash) {
      await sessions.end(userId, tokens.sessionId);
      throw serviceError("WRONG_CREDENTIALS");
    }
    await sessions.trim(userId);
    return tokens;
  };
}
