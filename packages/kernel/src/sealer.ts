import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** A later way of sealing gets a prefix of its own, so that each stored text says how it is opened. */
const PREFIX = "v1.";

interface Opened {
  text: string;
  /** Sealed in an older way, or with the secret before: it is to be sealed anew where it is stored. */
  isOld: boolean;
}

/** For what has to be read again, unlike a password: who has the database alone reads nothing of it. */
export interface Sealer {
  /** @param about what it belongs to, such as the id of a user: sealed for one, it opens for no other */
  seal(text: string, about: string): string;
  /** @returns null where it was sealed with a secret that this process does not have, for something else, or was changed since */
  open(sealed: string, about: string): Opened | null;
}

/**
 * AES-256-GCM.
 * @param key of 32 bytes, for this purpose alone
 * @param previousKey that some texts may still be sealed with; null: there is none
 */
export function createSealer(key: Buffer, previousKey: Buffer | null): Sealer {
  return {
    seal(text, about) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return `${PREFIX}${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
    },

    open(sealed, about) {
      const isBound = sealed.startsWith(PREFIX);
      const bytes = Buffer.from(isBound ? sealed.slice(PREFIX.length) : sealed, "base64url");
      const aad = isBound ? about : "";
      const text = decrypt(bytes, key, aad);
      if (text !== null) return { text, isOld: !isBound };
      const before = previousKey === null ? null : decrypt(bytes, previousKey, aad);
      return before === null ? null : { text: before, isOld: true };
    },
  };
}

function decrypt(bytes: Buffer, key: Buffer, about: string): string | null {
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}

const SECRET_BYTES = 32;

/** 43 random characters that are safe in a URL. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** What is stored of a secret. A fast hash is enough: the secret is random and too long to be guessed. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function matchesHash(secret: string, hash: string): boolean {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(hash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
