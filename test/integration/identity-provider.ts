import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** The provider's claims about a user. */
export interface Claims {
  sub: string;
  name?: string;
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
  /** Sent with the scope `groups`. */
  groups?: unknown;
  /** Of claims that are fetched elsewhere. */
  _claim_names?: Record<string, string>;
  _claim_sources?: Record<string, { endpoint: string }>;
}

export interface IdentityProvider {
  /** Settings of an instance that uses this provider. */
  env: Record<string, string>;
  /** The same as an entry of OIDC_PROVIDERS. */
  settings: { issuer: string; clientId: string; clientSecret: string };
  /** The user logged in at the provider, which never prompts. null: a user who denies access. */
  person: Claims | null;
  /** How long ago the user signed in, in milliseconds, according to the provider. */
  signedInAgoMs: number;
  stop(): Promise<void>;
}

/** An OpenID Connect provider that requires PKCE. */
export async function startIdentityProvider(...redirectUris: string[]): Promise<IdentityProvider> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { id: "fanfare", secret: randomBytes(24).toString("hex") };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const known = new Map<string, Claims>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: redirectUris }],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", kid: "test" }] },
    cookies: { keys: [randomBytes(24).toString("hex")] },
    pkce: { required: () => true },
    claims: {
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username"],
      groups: ["groups"],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ ...known.get(accountId), sub: accountId }),
    }),
    ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
  });
  const started: IdentityProvider = {
    settings: { issuer, clientId: client.id, clientSecret: client.secret },
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
    person: null,
    signedInAgoMs: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const handle = provider.callback();
  server.on("request", (request, response) => {
    if (request.url?.startsWith("/interaction/") !== true) {
      void handle(request, response);
      return;
    }
    const answer = async (): Promise<void> => {
      const { person } = started;
      if (person === null) {
        await provider.interactionFinished(request, response, { error: "access_denied" });
        return;
      }
      known.set(person.sub, person);
      const grant = new provider.Grant({ accountId: person.sub, clientId: client.id });
      grant.addOIDCScope("openid email profile groups");
      const grantId = await grant.save();
      await provider.interactionFinished(request, response, {
        login: { accountId: person.sub, ts: Math.floor((Date.now() - started.signedInAgoMs) / 1000) },
        consent: { grantId },
      });
    };
    void answer();
  });
  return started;
}
