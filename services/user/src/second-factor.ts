import { randomBytes } from "node:crypto";
import {
  type Handlers,
  hashSecret,
  type Logger,
  requiresSecondFactor,
  type Sealer,
  orThrow,
  serviceError,
} from "@fanfare/kernel";
import { LIMITS } from "@fanfare/contract";
import { Secret, TOTP } from "otpauth";
import { publishAccount } from "./user.presenter.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { GuessLimit } from "./login.queries.ts";
import { countGuess } from "./reauthenticate.ts";
import { hasPassword } from "./session.policy.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

const LIMIT: GuessLimit = {
  field: "totpGuesses",
  max: LIMITS.totpGuesses,
  windowMs: LIMITS.totpGuessWindowMs,
};

/** A secret stored before sealing was introduced: base32. */
const READABLE = /^[A-Z2-7]+=*$/;

interface StoredSecret {
  /** Base32. */
  secret: string;
  /** The value to store: unchanged unless it was unsealed or sealed with the previous secret. */
  stored: string;
}

type TotpSecrets = ReturnType<typeof createTotpSecrets>;

export function secondFactorActions({
  node,
  users,
  reauthenticate,
  totpSecrets,
  accountMails,
  secondFactor,
  sessionRepository,
  sessions,
}: UserDependencies): Handlers {
  const issuer = new URL(node.config.publicUrl).hostname;
  return {
    "user.setupTotp": async ({ params, actor }) => {
      const user = await reauthenticate(actor.userId, params);
      const secret = newTotpSecret();
      const pending = totpSecrets.seal(secret, actor.userId);
      if (!(await users.setPendingTotp(actor.userId, user.passwordHash, pending)))
        throw serviceError("TOTP_ALREADY_ON");
      return { secret, uri: totpUri(secret, issuer, user.username ?? user.nickname) };
    },

    "user.enableTotp": async ({ params, actor }) => {
      const user = await users.find(actor.userId);
      if (user?.totp !== undefined) throw serviceError("TOTP_ALREADY_ON");
      const pending = user?.totpPending;
      const opened = pending === undefined ? null : totpSecrets.open(pending, actor.userId);
      if (pending === undefined || opened === null) throw serviceError("TOTP_NOT_SET_UP");
      const lastStep = orThrow(stepOfCode(opened.secret, params.code, Date.now()), "WRONG_CODE");
      const recoveryCodes = newRecoveryCodes();
      const recoveryHashes = recoveryCodes.map((code) => hashSecret(normalizeRecoveryCode(code)));
      const enabled = await users.enableTotp(actor.userId, pending, {
        secret: opened.stored,
        lastStep,
        recoveryHashes,
      });
      if (enabled === null) throw serviceError("TOTP_NOT_SET_UP");
      publishAccount(node, enabled);
      await accountMails.notify(enabled, "totpEnabled");
      return { recoveryCodes };
    },

    "user.disableTotp": async ({ params, actor }) => {
      let secret: string | undefined;
      await reauthenticate(actor.userId, params, async (user) => {
        // Accounts without a password log in by OIDC only, which is exempt.
        if (hasPassword(user) && requiresSecondFactor(await node.policy.get(), user))
          throw serviceError("SECOND_FACTOR_REQUIRED");
        secret = await secondFactor.check(user, params.code);
      });
      const disabled = secret === undefined ? null : await users.disableTotp(actor.userId, secret);
      if (disabled === null) throw serviceError("TOTP_NOT_SET_UP");
      publishAccount(node, disabled);
      await accountMails.notify(disabled, "totpDisabled");
      return {};
    },

    "user.hasSecondFactor": async ({ params: { userId, sessionId } }) => {
      if ((await users.find(userId))?.totp !== undefined) return { has: true };
      const session = await sessionRepository.find(sessionId);
      return { has: session?.byOidc === true || session?.byPasskey === true };
    },

    "user.resetTotp": async ({ params: { userId } }) => {
      const before = await users.find(userId);
      const user = orThrow(await users.removeFactors(userId), "USER_NOT_FOUND");
      publishAccount(node, user);
      // The caller might not be the owner: the owner is notified, and all sessions end because the account is less protected.
      if (before?.totp !== undefined) await accountMails.notify(user, "totpDisabled");
      // They can be on the lost device.
      if ((before?.passkeys ?? []).length > 0) await accountMails.notify(user, "passkeyRemoved");
      await sessions.endAll(userId);
      return {};
    },
  };
}

/** Checks second-factor codes at login; each code can be used once. */
export function createSecondFactor(users: UserRepository, secrets: TotpSecrets, logger: Logger) {
  return {
    /**
     * Consumes the code. Guesses are counted per account in the database, across all clients. Only users who have proved the
     * password or a login at the provider get here, so others can't lock the account.
     * @returns the stored secret; undefined when no code is required
     * @throws {ServiceError} TOTP_REQUIRED; WRONG_CODE; RATE_LIMITED after too many wrong ones
     */
    async check(user: UserDocument, code: string | undefined): Promise<string | undefined> {
      const { totp } = user;
      if (totp === undefined) return undefined;
      if (code === undefined) throw serviceError("TOTP_REQUIRED");
      const userId = user._id;
      await countGuess(users, user, LIMIT);
      const opened = secrets.open(totp.secret, userId);
      if (opened === null)
        logger.error("TOKEN_SECRET has changed: this account can only log in with a recovery code");
      const step = opened === null ? null : stepOfCode(opened.secret, code, Date.now());
      if (opened === null || step === null) {
        const isGood = await users.useRecoveryCode(userId, hashSecret(normalizeRecoveryCode(code)));
        if (!isGood) throw serviceError("WRONG_CODE");
        return totp.secret;
      }
      const isGood = await users.useTotpStep(userId, { from: totp.secret, to: opened.stored }, step);
      if (!isGood) throw serviceError("WRONG_CODE");
      return opened.stored;
    },
  };
}

/** Seals and opens second-factor secrets. */
export function createTotpSecrets(sealer: Sealer) {
  return {
    seal: (secret: string, userId: string): string => sealer.seal(secret, userId),

    /** @returns null when the secret was sealed with neither TOKEN_SECRET nor TOKEN_SECRET_PREVIOUS */
    open(stored: string, userId: string): StoredSecret | null {
      if (READABLE.test(stored)) return { secret: stored, stored: sealer.seal(stored, userId) };
      const opened = sealer.open(stored, userId);
      if (opened === null) return null;
      return { secret: opened.text, stored: opened.isOld ? sealer.seal(opened.text, userId) : stored };
    },
  };
}

/** Defaults of authenticator apps (RFC 6238). */
const TOTP_SHAPE = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Codes of the previous and the next period are accepted too: clocks differ, and people type slowly. */
const TOTP_WINDOW = 1;
const RECOVERY_BYTES = 10;
const RECOVERY_GROUP = /.{4}/g;

export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** An otpauth:// URI, which apps read from a QR code. */
export function totpUri(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...TOTP_SHAPE, secret, issuer, label: account }).toString();
}

/** The number of the period, counted from 1970, that the code is for; null when it isn't valid at this time. */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const token = code.replaceAll(" ", "");
  if (!/^\d{6}$/.test(token)) return null;
  const delta = new TOTP({ ...TOTP_SHAPE, secret }).validate({
    token,
    timestamp: nowMs,
    window: TOTP_WINDOW,
  });
  return delta === null ? null : TOTP.counter({ period: TOTP_SHAPE.period, timestamp: nowMs }) + delta;
}

/** 80 random bits each, so that a fast hash is sufficient: `ABCD-EFGH-IJKL-MNOP`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: LIMITS.recoveryCodesPerUser }, () => {
    const { base32 } = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer });
    return base32.match(RECOVERY_GROUP)!.join("-");
  });
}

/** The canonical form, which is hashed, of a recovery code in any spelling. */
export function normalizeRecoveryCode(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, "");
}
