import { randomBytes } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { Secret, TOTP } from "otpauth";

/** As authenticator apps take for granted (RFC 6238): SHA-1, six digits, 30 s. */
const SHAPE = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** A code of the 30 s before or after is taken too: clocks differ, and people type slowly. */
const WINDOW = 1;
const RECOVERY_BYTES = 10;
const RECOVERY_GROUP = /.{4}/g;

export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** otpauth://, as apps read it from a QR code. */
export function totpUri(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...SHAPE, secret, issuer, label: account }).toString();
}

/** The 30 s that a code belongs to, counted from 1970; null where it is none of now. */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const token = code.replaceAll(" ", "");
  if (!/^\d{6}$/.test(token)) return null;
  const delta = new TOTP({ ...SHAPE, secret }).validate({ token, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : TOTP.counter({ period: SHAPE.period, timestamp: nowMs }) + delta;
}

/** 80 random bits each, so that a fast hash of them is enough: `ABCD-EFGH-IJKL-MNOP`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: LIMITS.recoveryCodesPerUser }, () => {
    const { base32 } = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer });
    return base32.match(RECOVERY_GROUP)!.join("-");
  });
}

/** What is hashed of a recovery code, however it was typed. */
export function normaliseRecoveryCode(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, "");
}
