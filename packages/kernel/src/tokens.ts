import { randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSigner, createVerifier, TokenError } from "fast-jwt";
import type { Actor } from "./actor.ts";
import { serviceError } from "./errors.ts";

/** Short, because an access token is checked without asking the database. */
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
}

const ISSUER = "fanfare";

/** JSON Web Tokens signed with HMAC-SHA256. */
export function createAccessTokens(secret: string): AccessTokens {
  const sign = createSigner({
    key: secret,
    algorithm: "HS256",
    iss: ISSUER,
    expiresIn: ACCESS_TOKEN_LIFETIME_MS,
  });
  const verify = createVerifier({
    key: secret,
    algorithms: ["HS256"],
    allowedIss: ISSUER,
    requiredClaims: ["sub", "sid", "kind", "exp"],
    cache: false,
  });
  return {
    sign({ userId, sessionId, kind }) {
      const claims: Claims = { sub: userId, sid: sessionId, kind };
      // The token's clock counts whole seconds, so the answer promises no more than it keeps.
      const issuedAt = Math.floor(Date.now() / 1000) * 1000;
      return { accessToken: sign(claims), expiresAt: new Date(issuedAt + ACCESS_TOKEN_LIFETIME_MS) };
    },
    verify(accessToken) {
      try {
        const { sub, sid, kind }: Claims = verify(accessToken);
        return { userId: sub, sessionId: sid, kind };
      } catch (error) {
        const expired = error instanceof TokenError && error.code === "FAST_JWT_EXPIRED";
        throw serviceError(expired ? "TOKEN_EXPIRED" : "UNAUTHENTICATED");
      }
    },
  };
}

/**
 * The secret that tokens are signed with: the configured one, or in development a random one kept in the data folder.
 */
export async function loadTokenSecret(config: {
  tokenSecret: string | undefined;
  dataDir: string;
}): Promise<string> {
  if (config.tokenSecret !== undefined) return config.tokenSecret;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const file = join(config.dataDir, "token-secret");
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(randomBytes(48).toString("base64url"));
    await handle.close();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return readFile(file, "utf8");
}
