import { LIMITS } from "@fanfare/contract";
import { hashSecret, serviceError, type Logger } from "@fanfare/kernel";
import type { GuessLimit } from "./guesses.queries.ts";
import { normaliseRecoveryCode, stepOfCode } from "./totp.ts";
import type { TotpSecrets } from "./totp-secrets.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

const LIMIT: GuessLimit = {
  field: "totpGuesses",
  max: LIMITS.totpGuesses,
  windowMs: LIMITS.totpGuessWindowMs,
};

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/** Asks those who have turned it on for a code, once each. */
export function createSecondFactor(users: UserRepository, secrets: TotpSecrets, logger: Logger) {
  return {
    /**
     * Uses the code up. Guesses are counted per account in the database, whoever makes them and wherever: only somebody who knows the
     * password gets here, so nobody else can lock the account with it.
     * @returns the secret as it is stored now; undefined where no code is asked for
     * @throws {ServiceError} TOTP_REQUIRED, WRONG_CODE, or RATE_LIMITED after too many wrong ones
     */
    async check(user: UserDocument, code: string | undefined): Promise<string | undefined> {
      const { totp } = user;
      if (totp === undefined) return undefined;
      if (code === undefined) throw serviceError("TOTP_REQUIRED");
      const userId = user._id;
      const now = Date.now();
      if (!(await users.countGuess(userId, LIMIT, new Date(now)))) {
        const endsAtMs = user.totpGuesses?.endsAt.getTime() ?? now + LIMIT.windowMs;
        throw serviceError("RATE_LIMITED", { retryAfterMs: Math.max(1, endsAtMs - now) });
      }
      const opened = secrets.open(totp.secret, userId);
      if (opened === null)
        logger.error("TOKEN_SECRET has changed: this account gets in with a recovery code only");
      const step = opened === null ? null : stepOfCode(opened.secret, code, now);
      if (opened === null || step === null) {
        const isGood = await users.useRecoveryCode(userId, hashSecret(normaliseRecoveryCode(code)));
        if (!isGood) throw serviceError("WRONG_CODE");
        return totp.secret;
      }
      const isGood = await users.useTotpStep(userId, { from: totp.secret, to: opened.stored }, step);
      if (!isGood) throw serviceError("WRONG_CODE");
      return opened.stored;
    },
  };
}
