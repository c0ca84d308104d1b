import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;
const TOKEN = /^fbot\.([0-9a-f]{24})\.([\w-]{43})$/;
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

export function formatBotToken(botId: string, secret: string): string {
  return `fbot.${botId}.${secret}`;
}

/** null when it cannot be the token of a bot. */
export function parseBotToken(token: string): { botId: string; secret: string } | null {
  const [, botId, secret] = TOKEN.exec(token) ?? [];
  return botId === undefined || secret === undefined ? null : { botId, secret };
}

/** A fast hash is enough: the secret is random and too long to be guessed. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function matchesHash(secret: string, hash: string): boolean {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(hash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}

/** For a secret that has to be read again: who has the database alone cannot read it. */
export function seal(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** @throws {Error} when it was sealed with another key */
export function unseal(sealed: string, key: Buffer): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}
