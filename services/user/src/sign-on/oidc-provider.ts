import { LIMITS } from "@fanfare/contract";
import { type Config, DEFAULT_PROVIDER } from "@fanfare/kernel";
import type { Configuration } from "openid-client";
import {
  identityKey,
  isAdminOf,
  PROVIDER_TIMEOUT_S,
  type ProviderContext,
  type ProviderIdentity,
} from "./provider.ts";

/** State kept in the browser while it is at the provider. */
export interface OidcFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
}

type Settings = Extract<Config["providers"][number], { protocol: "oidc" }>;

/** Discovery happens at the first login, which also loads the library. */
export function createOidcProvider(settings: Settings, { publicUrl, logger, sendsIds }: ProviderContext) {
  const { id, issuer, clientId, clientSecret } = settings;
  const callback = `${publicUrl}/auth/oidc/callback`;
  // A URL for each, so that no provider can pass off its answer as another one's.
  const redirectUri = id === DEFAULT_PROVIDER ? callback : `${callback}/${id}`;
  let found: Promise<Configuration> | undefined;
  const discover = async () => {
    const isPlain = issuer.startsWith("http:");
    const openid = await import("openid-client");
    found ??= openid
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: PROVIDER_TIMEOUT_S,
        execute: [
          // ID tokens must be signed, regardless of the transport.
          openid.enableNonRepudiationChecks,
          // Rejected by the configuration in production.
          ...(isPlain ? [openid.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        // Lets the next login retry.
        found = undefined;
        throw error;
      });
    return { openid, provider: await found };
  };

  return {
    protocol: "oidc" as const,

    /**
     * @param isFresh the user must authenticate again at the provider
     * @returns null when the provider is unreachable, which is logged
     */
    async start(isFresh: boolean): Promise<{ authorizationUrl: string; flow: OidcFlow } | null> {
      try {
        const { openid, provider } = await discover();
        const codeVerifier = openid.randomPKCECodeVerifier();
        const flow = { state: openid.randomState(), nonce: openid.randomNonce(), codeVerifier };
        const url = openid.buildAuthorizationUrl(provider, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: "S256",
          // Requests `auth_time`. The user could remove `prompt` from the URL, but can't forge `auth_time`.
          ...(isFresh && { prompt: "login", max_age: String(LIMITS.freshLoginMs / 1000) }),
        });
        return { authorizationUrl: url.href, flow };
      } catch (error) {
        logger.warn({ err: error, provider: id }, "OIDC login not started");
        return null;
      }
    },

    /**
     * @param query of the callback URL
     * @returns null when it doesn't belong to this flow or the provider reports an error, which is logged
     */
    async finish(query: string, { state, nonce, codeVerifier }: OidcFlow): Promise<ProviderIdentity | null> {
      try {
        const { openid, provider } = await discover();
        const tokens = await openid.authorizationCodeGrant(provider, new URL(`${redirectUri}?${query}`), {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const idToken = tokens.claims()!;
        // Some providers return names and addresses only from this endpoint.
        const asked = provider.serverMetadata().userinfo_endpoint !== undefined;
        const info = asked ? await openid.fetchUserInfo(provider, tokens.access_token, idToken.sub) : {};
        const claims = {
          ...idToken,
          ...info,
          iss: idToken.iss,
          sub: idToken.sub,
          auth_time: idToken.auth_time,
        };
        const ids = { externalIds: sendsIds ? externalIdsOf(issuer, idToken) : [] };
        return {
          ...identityOf(id, claims),
          ...ids,
          isAdmin: isAdminOf(settings, groupsOf(settings, claims), logger),
        };
      } catch (error) {
        logger.warn({ err: error, provider: id }, "OIDC login failed");
        return null;
      }
    },
  };
}

type Claims = Record<string, unknown> & { iss: string; sub: string };

const groupsOf = ({ groupsClaim: name }: Settings, claims: Claims) => ({
  name,
  value: Object.hasOwn(claims, name) ? claims[name] : undefined,
  isElsewhere: Object.hasOwn(Object(claims["_claim_names"]), name),
});

const ENTRA_HOST = /(?:^|\.)(?:microsoftonline\.(?:com|us|cn)|sts\.windows\.net|ciamlogin\.com)$/;

/** Entra ID has a different `sub` for each application, and the user's id in `oid`. At other providers, users may be able to choose `oid`. */
export function externalIdsOf(issuer: string, { sub, oid }: { sub: string; oid?: unknown }): string[] {
  const isEntra = ENTRA_HOST.test(new URL(issuer).hostname);
  return isEntra && typeof oid === "string" ? [sub, oid] : [sub];
}

function identityOf(provider: string, claims: Claims): ProviderIdentity {
  const { iss, sub, email, email_verified, name, preferred_username, auth_time } = claims;
  const text = (claim: unknown): string | undefined => (typeof claim === "string" ? claim : undefined);
  return {
    provider,
    key: identityKey(iss, sub),
    email: email_verified === true ? (text(email) ?? null) : null,
    ...(typeof auth_time === "number" && { authenticatedAt: new Date(auth_time * 1000) }),
    names: { username: text(preferred_username) ?? text(email)?.split("@")[0], nickname: text(name) },
  };
}
