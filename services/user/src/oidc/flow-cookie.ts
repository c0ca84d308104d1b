import { createSigner, createVerifier } from "fast-jwt";
import type { OidcFlow } from "./oidc-provider.ts";

/** How long somebody may take to log in at the provider. */
const LIFETIME_MS = 10 * 60 * 1000;

export interface KeptFlow extends OidcFlow {
  /** SHA-256 of what the page that began it keeps to itself. */
  challenge: string;
}

/** What a browser keeps of a login, signed by us: no process remembers anything of those that are never finished. */
export function createFlowCookie(key: Buffer) {
  const sign = createSigner({ key, algorithm: "HS256", expiresIn: LIFETIME_MS });
  const verify = createVerifier({ key, algorithms: ["HS256"], requiredClaims: ["exp"], cache: false });
  return {
    seal: ({ state, nonce, codeVerifier, challenge }: KeptFlow): string =>
      sign({ state, nonce, codeVerifier, challenge }),

    /** null when it is not ours, or too old. */
    open(cookie: string): KeptFlow | null {
      try {
        return verify(cookie) as KeptFlow;
      } catch {
        return null;
      }
    },
  };
}
