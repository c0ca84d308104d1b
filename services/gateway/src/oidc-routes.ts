import type { RateLimit } from "@fanfare/contract";
import { DEFAULT_PROVIDER, serviceError, toServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientAddress } from "./client-address.ts";
import { cookieOf } from "./device-cookie.ts";
import type { RouteOptions } from "./http-server.ts";

const PATH = "/auth/oidc";
const COOKIE = "fanfare_oidc";
const COOKIE_MAX_AGE_S = 10 * 60;
/** Each request causes a request to the provider. */
const RATE_LIMIT: RateLimit = { points: 30, durationMs: 60_000 };
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/**
 * Routes to the OpenID Connect provider and back. The login ends at the page with a code in the URL fragment, which is never sent
 * to a server. `user.exchangeOidcCode` exchanges it for tokens, only for the page that started the login.
 */
export function serveOidc(app: FastifyInstance, { node, limits }: RouteOptions): void {
  const { config } = node;
  if (config.oidc.length === 0) return;
  const attributes = [
    `Path=${PATH}`,
    "HttpOnly",
    // The redirect from the provider is cross-site: with Strict the cookie would not be sent.
    "SameSite=Lax",
    ...(config.publicUrl.startsWith("https:") ? ["Secure"] : []),
  ].join("; ");
  const limiter = limits.exact("oidc", RATE_LIMIT);

  const take = async (request: FastifyRequest): Promise<void> => {
    const retryAfterMs = await limiter.take(clientAddress(request.raw, config.trustProxy), Date.now());
    if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
  };
  const toPage = (reply: FastifyReply, name: "oidcCode" | "oidcError", value: string): FastifyReply =>
    reply.header("cache-control", "no-store").redirect(`${config.publicUrl}/login#${name}=${value}`);
  const guarded =
    (handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      try {
        await take(request);
        return await handle(request, reply);
      } catch (thrown) {
        return toPage(reply, "oidcError", toServiceError(thrown).type);
      }
    };

  app.get(
    `${PATH}/start`,
    guarded(async (request, reply) => {
      const { challenge, fresh, provider = DEFAULT_PROVIDER } = request.query as Record<string, unknown>;
      if (typeof challenge !== "string" || !CHALLENGE.test(challenge) || typeof provider !== "string")
        throw serviceError("OIDC_FAILED");
      const { authorizationUrl, flow } = await node.services.user.startOidc({
        provider,
        challenge,
        isFresh: fresh === "1",
      });
      return reply
        .header("cache-control", "no-store")
        .header("set-cookie", `${COOKIE}=${flow}; Max-Age=${COOKIE_MAX_AGE_S}; ${attributes}`)
        .redirect(authorizationUrl);
    }),
  );
  app.get(
    `${PATH}/callback/:provider?`,
    guarded(async (request, reply) => {
      const flow = cookieOf(request, COOKIE);
      // The cookie can be used only once.
      reply.header("set-cookie", `${COOKIE}=; Max-Age=0; ${attributes}`);
      if (flow === undefined) throw serviceError("OIDC_FAILED");
      const query = request.url.split("?", 2)[1] ?? "";
      const { provider = DEFAULT_PROVIDER } = request.params as { provider?: string };
      const { oidcCode } = await node.services.user.finishOidc({ provider, query, flow });
      return toPage(reply, "oidcCode", oidcCode);
    }),
  );
}
