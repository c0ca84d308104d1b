import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;
const TOKEN = /^fbot\.([0-9a-f]{24})\.([\w-]{43})$/;

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
