import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { hashSecret } from "./refresh-token.ts";
import { normaliseRecoveryCode, stepOfCode } from "./totp.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/** Asks those who have turned it on for a code, once each. */
export function createSecondFactor(users: UserRepository) {
  return {
    /**
     * Uses the code up. Guesses are counted per account in the database, whoever makes them and wherever: only somebody who knows the
     * password gets here, so nobody else can lock the account with it.
     * @throws {ServiceError} TOTP_REQUIRED, WRONG_CODE, or RATE_LIMITED after too many wrong ones
     */
    async check(user: UserDocument, code: string | undefined): Promise<void> {
      const { totp } = user;
      if (totp === undefined) return;
      if (code === undefined) throw serviceError("TOTP_REQUIRED");
      const userId = user._id.toHexString();
      const now = Date.now();
      if (!(await users.countTotpGuess(userId, new Date(now)))) {
        const endsAtMs = user.totpGuesses?.endsAt.getTime() ?? now + LIMITS.totpGuessWindowMs;
        throw serviceError("RATE_LIMITED", { retryAfterMs: Math.max(1, endsAtMs - now) });
      }
      const step = stepOfCode(totp.secret, code, now);
      const isGood = await (step === null
        ? users.useRecoveryCode(userId, hashSecret(normaliseRecoveryCode(code)))
        : users.useTotpStep(userId, totp.secret, step));
      if (!isGood) throw serviceError("WRONG_CODE");
    },
  };
}
