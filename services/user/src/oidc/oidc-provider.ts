import { createHash } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { type Config, DEFAULT_PROVIDER, type Logger } from "@fanfare/kernel";
import type { Configuration } from "openid-client";
import type { ExternalIdentity } from "../external-accounts.ts";

/** For each request to the provider. */
const TIMEOUT_S = 5;

/** State kept in the browser while it is at the provider. */
export interface OidcFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Its `key` is derived from issuer and subject. */
export interface OidcIdentity extends ExternalIdentity {
  provider: string;
  /** When the user last authenticated at the provider; absent if the provider doesn't say. */
  authenticatedAt?: Date;
}

interface Settings extends OidcSettings {
  /** Whether users are also found by the ids that the provider sent by SCIM. Only one: ids of several can be equal. */
  sendsIds: boolean;
}
type OidcSettings = Config["oidc"][number];

export type OidcProviders = ReadonlyMap<string, OidcProvider>;
type OidcProvider = ReturnType<typeof createOidcProvider>;

/** The configured OpenID Connect providers, by id. */
export function createOidcProviders(
  { oidc, publicUrl, scimOidcProvider }: Pick<Config, "oidc" | "publicUrl" | "scimOidcProvider">,
  logger: Logger,
): OidcProviders {
  const callback = `${publicUrl}/auth/oidc/callback`;
  return new Map(
    oidc.map((settings) => {
      // A URL for each, so that no provider can pass off its answer as another one's.
      const redirectUri = settings.id === DEFAULT_PROVIDER ? callback : `${callback}/${settings.id}`;
      const sendsIds = settings.id === scimOidcProvider;
      return [settings.id, createOidcProvider({ ...settings, sendsIds }, redirectUri, logger)];
    }),
  );
}

/** Discovery happens at the first login, which also loads the library. */
function createOidcProvider(settings: Settings, redirectUri: string, logger: Logger) {
  const { id, issuer, clientId, clientSecret } = settings;
  let found: Promise<Configuration> | undefined;
  const discover = async () => {
    const isPlain = issuer.startsWith("http:");
    const openid = await import("openid-client");
    found ??= openid
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: TIMEOUT_S,
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
        const ids = { externalIds: settings.sendsIds ? externalIdsOf(issuer, idToken) : [] };
        return { ...identityOf(id, claims), ...ids, isAdmin: isAdminOf(settings, claims, logger) };
      } catch (error) {
        logger.warn({ err: error, provider: id }, "OIDC login failed");
        return null;
      }
    },
  };
}

type Claims = Record<string, unknown> & { iss: string; sub: string };

/**
 * @returns undefined when the provider doesn't decide it, or has the groups elsewhere, as Entra ID does for users with many. A
 *   missing or unusable claim grants nothing.
 */
function isAdminOf(
  { id, groupsClaim, adminGroups }: Settings,
  claims: Claims,
  logger: Logger,
): boolean | undefined {
  if (adminGroups === undefined) return undefined;
  const isPresent = Object.hasOwn(claims, groupsClaim);
  const isElsewhere = !isPresent && Object.hasOwn(Object(claims["_claim_names"]), groupsClaim);
  if (!isPresent)
    logger.warn(
      { provider: id, claim: groupsClaim },
      isElsewhere
        ? "too many OIDC groups for the claim, admin role not changed"
        : "OIDC groups claim missing",
    );
  if (isElsewhere) return undefined;
  const claim = isPresent ? claims[groupsClaim] : [];
  // Some providers send a single group as a string.
  const groups: unknown[] = [claim].flat();
  if (groups.some((group) => typeof group !== "string"))
    logger.warn({ provider: id, claim: groupsClaim }, "OIDC groups claim is not a list of names");
  return groups.some((group) => typeof group === "string" && adminGroups.includes(group));
}

const ENTRA_HOST = /(?:^|\.)(?:microsoftonline\.(?:com|us|cn)|sts\.windows\.net|ciamlogin\.com)$/;

/** Entra ID has a different `sub` for each application, and the user's id in `oid`. At other providers, users may be able to choose `oid`. */
export function externalIdsOf(issuer: string, { sub, oid }: { sub: string; oid?: unknown }): string[] {
  const isEntra = ENTRA_HOST.test(new URL(issuer).hostname);
  return isEntra && typeof oid === "string" ? [sub, oid] : [sub];
}

function identityOf(provider: string, claims: Claims): OidcIdentity {
  const { iss, sub, email, email_verified, name, preferred_username, auth_time } = claims;
  const text = (claim: unknown): string | undefined => (typeof claim === "string" ? claim : undefined);
  return {
    provider,
    key: createHash("sha256")
      .update(JSON.stringify([iss, sub]))
      .digest("base64url"),
    email: email_verified === true ? (text(email) ?? null) : null,
    ...(typeof auth_time === "number" && { authenticatedAt: new Date(auth_time * 1000) }),
    names: { username: text(preferred_username) ?? text(email)?.split("@")[0], nickname: text(name) },
  };
}
