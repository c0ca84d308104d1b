import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function login({ users, logIn, passwords, secondFactor }: UserDependencies): Handler<"user.login"> {
  return async ({ params: { username, password, code }, client }) => {
    // No username has an '@', so a name cannot stand for somebody else's address.
    const user = await (username.includes("@")
      ? users.findByEmail(username)
      : users.findByUsername(username));
    const matches = await passwords.verify(password, user?.passwordHash);
    if (user === null || !matches) throw serviceError("WRONG_CREDENTIALS");
    await secondFactor.check(user, code);
    return logIn(user, client);
  };
}
