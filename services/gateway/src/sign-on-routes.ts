import type { RateLimit } from "@fanfare/contract";
import { DEFAULT_PROVIDER, serviceError, toServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientAddress } from "./identify.ts";
import { cookieOf } from "./device-cookie.ts";
import type { RouteOptions } from "./http-server.ts";
import { withTextBodies } from "./responses.ts";

const PATH = "/auth/oidc";
const SAML_PATH = "/auth/saml";
const COOKIE = "fanfare_oidc";
const COOKIE_MAX_AGE_S = 10 * 60;
/** Responses of SAML providers, encoded. */
const SAML_BODY_MAX_BYTES = 256 * 1024;
/** Each request causes a request to the provider, or verifies signatures. */
const RATE_LIMIT: RateLimit = { points: 30, durationMs: 60_000 };
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/**
 * Routes to a provider of single sign-on and back. The login ends at the page with a code in the URL fragment, which is never sent
 * to a server. `user.exchangeOidcCode` exchanges it for tokens, only for the page that started the login.
 */
export async function serveSignOn(app: FastifyInstance, { node, limits }: RouteOptions): Promise<void> {
  const { config } = node;
  if (config.providers.length === 0) return;
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
  const toPage = (reply: FastifyReply, name: `oidc${"Code" | "Error" | "Start"}`, value: string) =>
    // 303: the answer to a POST is opened with GET.
    reply.header("cache-control", "no-store").redirect(`${config.publicUrl}/login#${name}=${value}`, 303);
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
      if (flow !== null)
        reply.header("set-cookie", `${COOKIE}=${flow}; Max-Age=${COOKIE_MAX_AGE_S}; ${attributes}`);
      return reply.header("cache-control", "no-store").redirect(authorizationUrl);
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

  const samlIds = config.providers.filter(({ protocol }) => protocol === "saml").map(({ id }) => id);
  if (samlIds.length === 0) return;
  app.get<{ Params: { provider: string } }>(`${SAML_PATH}/metadata/:provider`, async (request, reply) => {
    const { provider } = request.params;
    if (!samlIds.includes(provider)) return reply.callNotFound();
    const { xml } = await node.services.user.samlMetadata({ provider });
    return reply.header("cache-control", "no-store").type("application/samlmetadata+xml").send(xml);
  });
  await withTextBodies(app, (scope) =>
    scope.post(
      `${SAML_PATH}/acs/:provider`,
      { bodyLimit: SAML_BODY_MAX_BYTES },
      // `RelayState` is ignored: the login always ends at the page.
      guarded(async (request, reply) => {
        const response = new URLSearchParams(request.body as string | undefined).get("SAMLResponse");
        const { provider } = request.params as { provider: string };
        if (response === null) throw serviceError("OIDC_FAILED");
        const { oidcCode } = await node.services.user.finishSaml({ provider, response });
        return oidcCode === null ? toPage(reply, "oidcStart", provider) : toPage(reply, "oidcCode", oidcCode);
      }),
    ),
  );
}
