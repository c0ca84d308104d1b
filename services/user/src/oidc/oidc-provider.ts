import { createHash } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import type { Config, Logger } from "@fanfare/kernel";
import type { Configuration } from "openid-client";

/** Of each request to the provider, in seconds. */
const TIMEOUT_S = 5;
const SCOPE = "openid email profile";

/** What a browser keeps while it is at the provider. */
export interface OidcFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** A user's identity at the provider, and its claims. */
export interface OidcIdentity {
  /** Stands for issuer and subject: what an account is found by. */
  key: string;
  /** Only one that the provider says it has verified. */
  email: string | null;
  /** When the provider last asked for its password or the like; absent where it does not say. */
  authenticatedAt?: Date;
  /** What to call them; nothing of it is trusted or unique. */
  names: { username: string | undefined; nickname: string | undefined };
}

export type OidcProvider = ReturnType<typeof createOidcProvider>;

/** The OpenID Connect provider of the configuration; it is asked for its addresses at the first login, which also loads the library. */
export function createOidcProvider(config: Pick<Config, "oidc" | "publicUrl">, logger: Logger) {
  const redirectUri = `${config.publicUrl}/auth/oidc/callback`;
  let found: Promise<Configuration> | undefined;
  const discover = async () => {
    if (config.oidc === undefined) throw new Error("OIDC_ISSUER is not set.");
    const { issuer, clientId, clientSecret } = config.oidc;
    const isPlain = issuer.startsWith("http:");
    const openid = await import("openid-client");
    found ??= openid
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: TIMEOUT_S,
        execute: [
          // The identity must be signed with a key of the provider, regardless of the transport.
          openid.enableNonRepudiationChecks,
          // The configuration refuses it in production.
          ...(isPlain ? [openid.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        // So that the next login asks again.
        found = undefined;
        throw error;
      });
    return { openid, provider: await found };
  };

  return {
    /**
     * @param isFresh the provider has to ask for its password again
     * @returns null when the provider cannot be reached, which is logged
     */
    async start(isFresh: boolean): Promise<{ authorizationUrl: string; flow: OidcFlow } | null> {
      try {
        const { openid, provider } = await discover();
        const codeVerifier = openid.randomPKCECodeVerifier();
        const flow = { state: openid.randomState(), nonce: openid.randomNonce(), codeVerifier };
        const url = openid.buildAuthorizationUrl(provider, {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: "S256",
          // Makes the provider say when that was. The caller could remove `prompt` from the address, but not change `auth_time`.
          ...(isFresh && { prompt: "login", max_age: String(LIMITS.freshLoginMs / 1000) }),
        });
        return { authorizationUrl: url.href, flow };
      } catch (error) {
        logger.warn({ err: error }, "OIDC login not started");
        return null;
      }
    },

    /**
     * @param query of the address that the provider sent the browser to
     * @returns null when it is not the end of this flow, or the provider says no, which is logged
     */
    async finish(query: string, { state, nonce, codeVerifier }: OidcFlow): Promise<OidcIdentity | null> {
      try {
        const { openid, provider } = await discover();
        const tokens = await openid.authorizationCodeGrant(provider, new URL(`${redirectUri}?${query}`), {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const idToken = tokens.claims()!;
        // Some providers return names and addresses only here.
        const asked = provider.serverMetadata().userinfo_endpoint !== undefined;
        const info = asked ? await openid.fetchUserInfo(provider, tokens.access_token, idToken.sub) : {};
        return identityOf({
          ...idToken,
          ...info,
          iss: idToken.iss,
          sub: idToken.sub,
          auth_time: idToken.auth_time,
        });
      } catch (error) {
        logger.warn({ err: error }, "OIDC login failed");
        return null;
      }
    },
  };
}

type Claims = Record<string, unknown> & { iss: string; sub: string };

function identityOf(claims: Claims): OidcIdentity {
  const { iss, sub, email, email_verified, name, preferred_username, auth_time } = claims;
  const text = (claim: unknown): string | undefined => (typeof claim === "string" ? claim : undefined);
  return {
    key: createHash("sha256")
      .update(JSON.stringify([iss, sub]))
      .digest("base64url"),
    email: email_verified === true ? (text(email) ?? null) : null,
    ...(typeof auth_time === "number" && { authenticatedAt: new Date(auth_time * 1000) }),
    names: { username: text(preferred_username) ?? text(email)?.split("@")[0], nickname: text(name) },
  };
}
