import { LIMITS } from "@fanfare/contract";
import { serviceError, toServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { clientAddress } from "./identify.ts";
import { REFUSED_WEBHOOKS_RATE_LIMIT, UNSUBSCRIBE_BODY_MAX_BYTES } from "./constants.ts";
import type { RouteOptions } from "./http-server.ts";
import { sendResponse, withTextBodies } from "./responses.ts";

/** Only these count: LiveKit's own requests can also be refused by other limits, which must not delay it further. */
const REFUSED_STATUSES = [400, 401, 413];

/**
 * `POST /api/livekit/webhook`, where LiveKit reports what happens in calls. The call service checks the signature. The route exists
 * only with `LIVEKIT_URL`.
 */
export async function serveLiveKit(
  app: FastifyInstance,
  { node, calls, limits }: RouteOptions,
): Promise<void> {
  const { config, services, logger } = node;
  if (config.livekit === undefined) return;
  const limiter = limits.quick("livekit", REFUSED_WEBHOOKS_RATE_LIMIT);
  const addressOf = ({ raw }: FastifyRequest): string => clientAddress(raw, config.trustProxy);
  // As text, because the signature is of the bytes.
  await withTextBodies(app, (scope) => {
    // Before the body is read, and only checked here: LiveKit sends the webhooks of all calls from one address.
    scope.addHook("onRequest", async (request, reply) => {
      const retryAfterMs = limiter.take(addressOf(request), Date.now(), 0);
      if (retryAfterMs > 0)
        return sendResponse(reply, calls.refuse(serviceError("RATE_LIMITED", { retryAfterMs }), request.id));
    });
    scope.addHook("onSend", async (request, { statusCode }) => {
      if (REFUSED_STATUSES.includes(statusCode)) limiter.take(addressOf(request), Date.now());
    });
    scope.post("/api/livekit/webhook", { helmet: false }, async (request, reply) => {
      const { headers, body } = request;
      const { authorization = "" } = headers;
      const refuse = () => reply.code(401).send();
      if (typeof body !== "string" || body === "" || authorization === "") return refuse();
      if (authorization.length > LIMITS.livekitTokenMaxChars) return refuse();
      try {
        // Also in maintenance mode: users leave calls, and the calls must end.
        await calls.follow(() => services.call.handleWebhook({ body, authorization }));
      } catch (thrown) {
        const error = toServiceError(thrown);
        if (error.type === "UNAUTHENTICATED") return refuse();
        if (error.type === "INTERNAL")
          logger.error({ err: thrown, requestId: request.id }, "LiveKit webhook failed");
        return sendResponse(reply, calls.refuse(error, request.id));
      }
      return reply.code(204).send();
    });
  });
}

/**
 * `POST /unsubscribe?token=…`, for mail programs that turn off emails with one click (RFC 8058). A GET opens the page, which asks
 * first: mail scanners follow all links.
 */
export async function serveUnsubscribe(app: FastifyInstance, { node, calls }: RouteOptions): Promise<void> {
  // The body is a form with `List-Unsubscribe=One-Click`: the token in the address says all that is needed.
  await withTextBodies(app, (scope) =>
    scope.post<{ Querystring: { token?: unknown } }>(
      "/unsubscribe",
      { bodyLimit: UNSUBSCRIBE_BODY_MAX_BYTES },
      async (request, reply) => {
        const address = clientAddress(request.raw, node.config.trustProxy);
        const caller = { actor: null, address, requestId: request.id };
        const { token } = request.query;
        return sendResponse(reply, await calls.answer("http", "notification.unsubscribe", { token }, caller));
      },
    ),
  );
}
