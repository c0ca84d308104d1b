import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSigner, createVerifier, TokenError } from "fast-jwt";
import { LRUCache } from "lru-cache";
import type { Actor } from "@fanfare/contract";
import { ConfigError, isGuessable, TOKEN_SECRET_MIN_CHARS } from "./config.ts";
import { serviceError } from "./errors.ts";
import { entryLimit } from "./lru-options.ts";

/** Verified tokens that are remembered until they expire, about 600 bytes each. */
const MAX_VERIFIED = 2000;

/** Short, because access tokens are verified without a database lookup. */
export const ACCESS_TOKEN_LIFETIME_MS = 15 * 60 * 1000;

export interface AccessTokens {
  sign(actor: Actor): { accessToken: string; expiresAt: Date };
  /** @throws {ServiceError} TOKEN_EXPIRED or UNAUTHENTICATED */
  verify(accessToken: string): Actor;
}

interface Claims {
  sub: string;
  sid: string;
  kind: Actor["kind"];
  adm?: true;
  /** In seconds, set by the signer. */
  iat?: number;
  exp?: number;
}

const ISSUER = "fanfare";

/**
 * JSON Web Tokens signed with HMAC-SHA256.
 * @param previous a secret whose tokens are accepted too, so secrets can be rotated one process at a time. Ignored if weak:
 *   anyone could forge tokens with a guessable secret
 */
export function createAccessTokens(secret: string, previous?: string): AccessTokens {
  const sign = createSigner({
    key: secret,
    algorithm: "HS256",
    iss: ISSUER,
    expiresIn: ACCESS_TOKEN_LIFETIME_MS,
  });
  const verify = verifierOf(secret);
  const verifyPrevious = previous === undefined || isGuessable(previous) ? null : verifierOf(previous);
  const claimsOf = (accessToken: string): Claims => {
    try {
      return verify(accessToken);
    } catch (error) {
      const isOfAnother = error instanceof TokenError && error.code === "FAST_JWT_INVALID_SIGNATURE";
      if (!isOfAnother || verifyPrevious === null) throw error;
      return verifyPrevious(accessToken);
    }
  };
  const verified = new LRUCache<string, { actor: Actor; untilMs: number }>(entryLimit(MAX_VERIFIED));
  return {
    sign({ userId, sessionId, kind, admin }) {
      const claims: Claims = { sub: userId, sid: sessionId, kind, ...(admin === true && { adm: true }) };
      // Token times are whole seconds, so the returned expiry is rounded down as well.
      const issuedAt = Math.floor(Date.now() / 1000) * 1000;
      return { accessToken: sign(claims), expiresAt: new Date(issuedAt + ACCESS_TOKEN_LIFETIME_MS) };
    },
    verify(accessToken) {
      const known = verified.get(accessToken);
      if (known !== undefined && Date.now() < known.untilMs) return known.actor;
      try {
        const { sub, sid, kind, adm, iat = 0, exp = 0 } = claimsOf(accessToken);
        const actor: Actor = { userId: sub, sessionId: sid, kind, ...(adm === true && { admin: true }) };
        const untilMs = Math.min(exp * 1000, iat * 1000 + ACCESS_TOKEN_LIFETIME_MS);
        verified.set(accessToken, { actor, untilMs });
        return actor;
      } catch (error) {
        const expired = error instanceof TokenError && error.code === "FAST_JWT_EXPIRED";
        throw serviceError(expired ? "TOKEN_EXPIRED" : "UNAUTHENTICATED");
      }
    },
  };
}

function verifierOf(key: string): (accessToken: string) => Claims {
  return createVerifier({
    key,
    algorithms: ["HS256"],
    allowedIss: ISSUER,
    requiredClaims: ["iss", "sub", "sid", "kind", "iat", "exp"],
    // Measured from `iat`, so a token cannot outlive our own lifetime by stating a later expiry.
    maxAge: ACCESS_TOKEN_LIFETIME_MS,
    cache: false,
  });
}

/**
 * The secret for signing tokens: the configured one or, in development, a random one stored in the data folder.
 * @throws {ConfigError} if the secret in the data folder is damaged
 */
export async function loadTokenSecret(config: {
  tokenSecret: string | undefined;
  dataDir: string;
}): Promise<string> {
  if (config.tokenSecret !== undefined) return config.tokenSecret;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const file = join(config.dataDir, "token-secret");
  const kept = await readSecret(file);
  if (kept !== null) return kept;
  // Written and synced under a temporary name, so no process reads a partial file.
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, randomBytes(48).toString("base64url"), { mode: 0o600, flag: "wx", flush: true });
    await link(draft, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readSecret(file))!;
}

/** null if there is none yet. */
async function readSecret(file: string): Promise<string | null> {
  const secret = await readFile(file, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
  if (secret !== null && secret.length < TOKEN_SECRET_MIN_CHARS) {
    throw new ConfigError(`${file} is damaged. Delete it and restart; all users have to log in again.`);
  }
  return secret;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
