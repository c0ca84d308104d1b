import type { Sealer } from "@fanfare/kernel";

/** As they were stored before they were sealed: base32. */
const READABLE = /^[A-Z2-7]+=*$/;

export interface StoredSecret {
  /** Base32. */
  secret: string;
  /** What is to be stored from now on: the same as before, but for what was readable or sealed with an older secret. */
  stored: string;
}

export type TotpSecrets = ReturnType<typeof createTotpSecrets>;

/** The secrets of second factors, as the database holds them. */
export function createTotpSecrets(sealer: Sealer) {
  return {
    seal: (secret: string, userId: string): string => sealer.seal(secret, userId),

    /** @returns null where TOKEN_SECRET is another one now, and TOKEN_SECRET_PREVIOUS does not say what it was */
    open(stored: string, userId: string): StoredSecret | null {
      if (READABLE.test(stored)) return { secret: stored, stored: sealer.seal(stored, userId) };
      const opened = sealer.open(stored, userId);
      if (opened === null) return null;
      return { secret: opened.text, stored: opened.isOld ? sealer.seal(opened.text, userId) : stored };
    },
  };
}
