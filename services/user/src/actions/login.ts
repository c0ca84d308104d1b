import { serviceError, type Handler } from "@fanfare/kernel";
import { assertAllowedDomain, assertPasswordsAccepted } from "../entry.policy.ts";
import { mustVerifyFirst } from "../session.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function login({
  node,
  users,
  logIn,
  passwords,
  secondFactor,
  accountMails,
}: UserDependencies): Handler<"user.login"> {
  return async ({ params: { username, password, code, email }, client }) => {
    // Before the account is looked up: the answer is the same for all of them.
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    // No username has an '@', so a name cannot stand for somebody else's address.
    const user = await (username.includes("@")
      ? users.findByEmail(username)
      : users.findByUsername(username));
    const matches = await passwords.verify(password, user?.passwordHash);
    if (user === null || !matches) throw serviceError("WRONG_CREDENTIALS");
    await secondFactor.check(user, code);
    // Also for an account whose claim to an address expired, or was lost to the account that verified it.
    if (email !== undefined && mustVerifyFirst(user)) {
      assertAllowedDomain(policy, email);
      if ((await users.findByEmail(email))?.emailVerifiedAt !== undefined) throw serviceError("EMAIL_TAKEN");
      const retryAfterMs = await accountMails.welcome(user, email, client);
      if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
    }
    return logIn(user, client);
  };
}
