import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Each format has a prefix that identifies how to open a stored text. */
const PREFIX = "v1.";

interface Opened {
  text: string;
  /** Sealed in an older format or with the previous secret: should be sealed again. */
  isOld: boolean;
}

/** Encrypts values that must be read back, unlike passwords: a copy of the database alone reveals nothing. */
export interface Sealer {
  /** @param about the owner of the value, such as a user id: it can only be opened with the same one */
  seal(text: string, about: string): string;
  /** @returns null if it was sealed with an unknown secret or for another owner, or was modified */
  open(sealed: string, about: string): Opened | null;
}

/**
 * AES-256-GCM.
 * @param key 32 bytes, used for this purpose only
 * @param previousKey key of texts sealed before the last rotation, if any
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

/** Proves that this server wrote a text. */
export interface Signer {
  /** @returns 43 URL-safe characters */
  sign(text: string): string;
  verify(text: string, signature: string): boolean;
}

const SIGNATURE = /^[\w-]{43}$/;

/**
 * HMAC-SHA-256.
 * @param key 32 bytes, used for this purpose only
 * @param previousKey its signatures stay valid
 */
export function createSigner(key: Buffer, previousKey: Buffer | null): Signer {
  const signatureBy = (by: Buffer, text: string) => createHmac("sha256", by).update(text).digest();
  return {
    sign: (text) => signatureBy(key, text).toString("base64url"),
    verify(text, signature) {
      // The decoder ignores other characters, so a signature would have many spellings.
      if (!SIGNATURE.test(signature)) return false;
      const given = Buffer.from(signature, "base64url");
      const isBy = (by: Buffer | null) =>
        by !== null && given.length === by.length && timingSafeEqual(signatureBy(by, text), given);
      return isBy(key) || isBy(previousKey);
    },
  };
}

const SECRET_BYTES = 32;

/** 43 random URL-safe characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Hashes a random secret for storage. A fast hash is enough because the secret is too long to guess. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function matchesHash(secret: string, hash: string): boolean {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(hash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
