import { createHash, createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Claims = Record<string, unknown>;

/** What a provider, or an impostor, changes in the answers of one login; everything left out stays honest. */
export interface Lie {
  claims?: (honest: Claims) => Claims;
  header?: Claims;
  /**
   * Whose key signs the ID token: the provider's, another one, none, or the provider's public key used as an
   * HMAC secret.
   */
  signer?: "provider" | "other" | "none" | "publicKey";
  /** Changes the answer of the userinfo endpoint. */
  userinfo?: (honest: Claims) => Claims;
}

export interface LyingProvider {
  /** Settings of an instance that uses this provider. */
  env: Record<string, string>;
  issuer: string;
  lie: Lie;
  /**
   * Logs in a user who was redirected here, after the checks a provider makes.
   * @returns the authorization code
   */
  code(sentTo: URL, subject: string): string;
  stop(): Promise<void>;
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");
const newKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** An OpenID Connect provider that checks requests as a real one does, and answers what a test wants. */
export async function startLyingProvider(): Promise<LyingProvider> {
  const [own, other] = [newKeys(), newKeys()];
  const codes = new Map<string, { challenge: string; nonce: string; redirectUri: string; subject: string }>();
  const subjects = new Map<string, string>();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientId = "fanfare";
  const publicPem = own.publicKey.export({ type: "spki", format: "pem" });

  const signature = (signed: string, signer: Lie["signer"] = "provider"): string => {
    const by = (key: KeyObject): string => sign("sha256", Buffer.from(signed), key).toString("base64url");
    if (signer === "none") return "";
    if (signer === "publicKey") return createHmac("sha256", publicPem).update(signed).digest("base64url");
    return by(signer === "other" ? other.privateKey : own.privateKey);
  };

  const idToken = (nonce: string, sub: string): string => {
    const { claims = (honest: Claims) => honest, header, signer } = started.lie;
    const now = Math.floor(Date.now() / 1000);
    const honest = { iss: issuer, aud: clientId, sub, nonce, iat: now, exp: now + 60 };
    const signed = `${encode({ alg: "RS256", kid: "own", ...header })}.${encode(claims(honest))}`;
    return `${signed}.${signature(signed, signer)}`;
  };

  const exchange = async (request: IncomingMessage): Promise<[status: number, body: Claims]> => {
    const params = new URLSearchParams(await text(request));
    const code = params.get("code") ?? "";
    const known = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(params.get("code_verifier") ?? "")
      .digest("base64url");
    if (known?.challenge !== challenge || params.get("redirect_uri") !== known.redirectUri)
      return [400, { error: "invalid_grant" }];
    const accessToken = randomBytes(16).toString("hex");
    subjects.set(accessToken, known.subject);
    const token = idToken(known.nonce, known.subject);
    return [200, { access_token: accessToken, token_type: "Bearer", id_token: token }];
  };

  const answer = async (request: IncomingMessage): Promise<[status: number, body: Claims]> => {
    switch (request.url) {
      case "/.well-known/openid-configuration":
        return [
          200,
          {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/me`,
            jwks_uri: `${issuer}/keys`,
            response_types_supported: ["code"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["RS256"],
            authorization_response_iss_parameter_supported: true,
          },
        ];
      case "/keys":
        return [200, { keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "own", use: "sig" }] }];
      case "/token":
        return exchange(request);
      case "/me": {
        const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
        const honest = { sub: subjects.get(token) };
        return [200, started.lie.userinfo?.(honest) ?? honest];
      }
      default:
        return [404, {}];
    }
  };
  server.on("request", (request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
  });

  const started: LyingProvider = {
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: "s".repeat(32) },
    issuer,
    lie: {},
    code({ searchParams }, subject) {
      const code = randomBytes(16).toString("hex");
      codes.set(code, {
        challenge: searchParams.get("code_challenge")!,
        nonce: searchParams.get("nonce")!,
        redirectUri: searchParams.get("redirect_uri")!,
        subject,
      });
      return code;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
