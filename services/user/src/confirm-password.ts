import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { GuessLimit } from "./guesses.queries.ts";
import type { Passwords } from "./passwords.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

/** Somebody who has just told the password of this moment. */
export type Confirmed = UserDocument & { passwordHash: string };

export type ConfirmPassword = ReturnType<typeof createConfirmPassword>;

/** Asks somebody who is logged in for the password: whoever has the phone for a minute, or a token, need not be the owner. */
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
