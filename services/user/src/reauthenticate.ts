import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { OidcCodeRepository } from "./oidc/oidc-code.repository.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";
import type { GuessLimit } from "./login.queries.ts";
import type { Passwords } from "./passwords.ts";

/** The password, or for an account without one a login at the OIDC provider. */
interface Proof {
  password?: string | undefined;
  oidcCode?: string | undefined;
  verifier?: string | undefined;
}

export type Reauthenticate = ReturnType<typeof createReauthenticate>;

/** Checks that a logged-in caller owns the account, before they change how it is signed in to. */
export function createReauthenticate(
  users: UserRepository,
  oidcCodes: OidcCodeRepository,
  confirmPassword: ConfirmPassword,
) {
  /**
   * @throws {ServiceError} WRONG_CREDENTIALS, RATE_LIMITED, OVERLOADED as by `confirmPassword`; without a password OIDC_FAILED where the
   *   login is unknown or another account's, and LOGIN_NOT_FRESH where the provider did not ask for its password again
   */
  return async (userId: string, { password, oidcCode, verifier }: Proof): Promise<UserDocument> => {
    if (oidcCode === undefined || verifier === undefined) return confirmPassword(userId, password ?? "");
    const user = await users.find(userId);
    // A linked login must not stand for the password where there is one: anyone with access to the identity could then change the account.
    if (user === null || user.passwordHash !== undefined) throw serviceError("WRONG_CREDENTIALS");
    const identity = await oidcCodes.take({ oidcCode, verifier });
    if (identity === null || identity.key !== user.oidcKey) throw serviceError("OIDC_FAILED");
    const authenticatedAtMs = identity.authenticatedAt?.getTime() ?? 0;
    if (authenticatedAtMs < Date.now() - LIMITS.freshLoginMs) throw serviceError("LOGIN_NOT_FRESH");
    return user;
  };
}

/** The user has just entered the current password. */
type Confirmed = UserDocument & { passwordHash: string };

export type ConfirmPassword = ReturnType<typeof createConfirmPassword>;

/** Asks a logged-in user for the password: a borrowed phone or a stolen token is not the owner. */
export function createConfirmPassword(users: UserRepository, passwords: Passwords) {
  const limit: GuessLimit = {
    field: "passwordGuesses",
    // Not multiplied by RATE_LIMIT_FACTOR: a server that takes more load must not allow more guesses.
    max: LIMITS.passwordGuesses,
    windowMs: LIMITS.passwordGuessWindowMs,
  };
  /**
   * Guesses are counted per account, whichever action makes them. Those of logins are not among them: they are limited where they come
   * in, and strangers must not keep the owner from changing the password.
   * @throws {ServiceError} WRONG_CREDENTIALS, also where there is no password; RATE_LIMITED after too many wrong ones, OVERLOADED
   */
  return async (userId: string, password: string): Promise<Confirmed> => {
    const user = await users.find(userId);
    const passwordHash = user?.passwordHash;
    if (user === null || passwordHash === undefined) throw serviceError("WRONG_CREDENTIALS");
    const now = Date.now();
    if (!(await users.countGuess(userId, limit, new Date(now)))) {
      const endsAtMs = user.passwordGuesses?.endsAt.getTime() ?? now + limit.windowMs;
      throw serviceError("RATE_LIMITED", { retryAfterMs: Math.max(1, endsAtMs - now) });
    }
    if (!(await passwords.verify(password, passwordHash))) throw serviceError("WRONG_CREDENTIALS");
    await users.forgetGuesses(userId, limit.field);
    return { ...user, passwordHash };
  };
}
