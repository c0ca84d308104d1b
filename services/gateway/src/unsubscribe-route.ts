import type { FastifyInstance } from "fastify";
import { clientAddress } from "./client-address.ts";
import { UNSUBSCRIBE_BODY_MAX_BYTES } from "./constants.ts";
import type { RouteOptions } from "./http-server.ts";
import { sendResponse, withTextBodies } from "./responses.ts";

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
