import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { hasIdentity } from "./external-logins.ts";
import type { OidcCodeRepository } from "./sign-on/sign-on.repository.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";
import type { GuessLimit } from "./login.queries.ts";
import type { LdapDirectory } from "./ldap-directory.ts";
import type { Passwords } from "./passwords.ts";
import { hasPassword } from "./session.policy.ts";

/** The password, also the one of the LDAP directory, or, for accounts without one, a login at the OIDC provider. */
interface Proof {
  password?: string | undefined;
  oidcCode?: string | undefined;
  verifier?: string | undefined;
}

/** Checks that a logged-in caller owns the account before they change its credentials. */
export function createReauthenticate(
  users: UserRepository,
  oidcCodes: OidcCodeRepository,
  confirmPassword: ConfirmPassword,
) {
  /**
   * @throws {ServiceError} WRONG_CREDENTIALS, RATE_LIMITED, OVERLOADED as `confirmPassword`. Without a password: OIDC_FAILED when
   *   the login is unknown or belongs to another account, LOGIN_NOT_FRESH when the user didn't authenticate again at the provider
   * @param checkCode called when the proof is valid, before a login at the provider is used up: after a wrong code, the call can be
   *   repeated with the same login
   */
  return async (
    userId: string,
    { password, oidcCode, verifier }: Proof,
    checkCode: (user: UserDocument) => Promise<unknown> = async () => undefined,
  ): Promise<UserDocument> => {
    if (oidcCode === undefined || verifier === undefined) {
      const confirmed = await confirmPassword(userId, password ?? "");
      await checkCode(confirmed);
      return confirmed;
    }
    const user = await users.find(userId);
    // A linked login must not replace an existing password: anyone with access to the identity could then change the account.
    if (user === null || hasPassword(user)) throw serviceError("WRONG_CREDENTIALS");
    const login = { oidcCode, verifier };
    const identity = await oidcCodes.find(login);
    if (identity === null || !hasIdentity(user, identity)) throw serviceError("OIDC_FAILED");
    const authenticatedAtMs = identity.authenticatedAt?.getTime() ?? 0;
    if (authenticatedAtMs < Date.now() - LIMITS.freshLoginMs) throw serviceError("LOGIN_NOT_FRESH");
    await checkCode(user);
    if ((await oidcCodes.take(login)) === null) throw serviceError("OIDC_FAILED");
    return user;
  };
}

type ConfirmPassword = ReturnType<typeof createConfirmPassword>;

/** Verifies the password of a logged-in user, who might not be the owner: phones get borrowed, and tokens stolen. */
export function createConfirmPassword(
  users: UserRepository,
  passwords: Passwords,
  ldapDirectory: LdapDirectory,
) {
  const isRight = async ({ passwordHash, ldapKey }: UserDocument, password: string): Promise<boolean> => {
    if (passwordHash !== undefined && (await passwords.verify(password, passwordHash))) return true;
    return ldapKey !== undefined && ldapDirectory.confirm(ldapKey, password);
  };
  const limit: GuessLimit = {
    field: "passwordGuesses",
    // Not multiplied by RATE_LIMIT_FACTOR: a server that takes more load must not allow more guesses.
    max: LIMITS.passwordGuesses,
    windowMs: LIMITS.passwordGuessWindowMs,
  };
  /**
   * Guesses are counted per account, across all actions. Logins have a separate limit, so that strangers can't keep the owner
   * from changing the password.
   * @throws {ServiceError} WRONG_CREDENTIALS, also when the account has no password; RATE_LIMITED after too many wrong ones;
   *   OVERLOADED; LDAP_UNAVAILABLE
   */
  return async (userId: string, password: string): Promise<UserDocument> => {
    const user = await users.find(userId);
    if (user === null || !hasPassword(user)) throw serviceError("WRONG_CREDENTIALS");
    await countGuess(users, user, limit);
    if (!(await isRight(user, password))) throw serviceError("WRONG_CREDENTIALS");
    await users.forgetGuesses(userId, limit.field);
    return user;
  };
}

/** @throws {ServiceError} RATE_LIMITED after too many guesses */
export async function countGuess(
  users: UserRepository,
  user: UserDocument,
  limit: GuessLimit,
): Promise<void> {
  const nowMs = Date.now();
  if (await users.countGuess(user._id, limit, new Date(nowMs))) return;
  const endsAtMs = user[limit.field]?.endsAt.getTime() ?? nowMs + limit.windowMs;
  throw serviceError("RATE_LIMITED", { retryAfterMs: Math.max(1, endsAtMs - nowMs) });
}
