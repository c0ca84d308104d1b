import { randomBytes } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { Secret, TOTP } from "otpauth";

/** Defaults of authenticator apps (RFC 6238). */
const SHAPE = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Codes of the previous and the next period are accepted too: clocks differ, and people type slowly. */
const WINDOW = 1;
const RECOVERY_BYTES = 10;
const RECOVERY_GROUP = /.{4}/g;

export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** An otpauth:// URI, which apps read from a QR code. */
export function totpUri(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...SHAPE, secret, issuer, label: account }).toString();
}

/** The number of the period, counted from 1970, that the code is for; null when it isn't valid at this time. */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const token = code.replaceAll(" ", "");
  if (!/^\d{6}$/.test(token)) return null;
  const delta = new TOTP({ ...SHAPE, secret }).validate({ token, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : TOTP.counter({ period: SHAPE.period, timestamp: nowMs }) + delta;
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
