import type { NodeContext } from "@fanfare/kernel";
import type { FastifyInstance } from "fastify";
import type { Calls } from "./calls.ts";
import { clientAddress } from "./client-address.ts";
import { UNSUBSCRIBE_BODY_MAX_BYTES } from "./constants.ts";
import { sendResponse } from "./responses.ts";

interface RouteOptions {
  calls: Calls;
  config: NodeContext["config"];
}

/**
 * `POST /unsubscribe?token=…`, for mail programs that turn off emails with one click (RFC 8058). A GET opens the page, which asks
 * first: mail scanners follow all links.
 */
export async function serveUnsubscribe(app: FastifyInstance, { calls, config }: RouteOptions): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // A form with `List-Unsubscribe=One-Click`: the token in the address says all that is needed.
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, _body, done) => done(null));
    scope.post<{ Querystring: { token?: unknown } }>(
      "/unsubscribe",
      { bodyLimit: UNSUBSCRIBE_BODY_MAX_BYTES },
      async (request, reply) => {
        const address = clientAddress(request.raw, config.trustProxy);
        const caller = { actor: null, address, requestId: request.id };
        const { token } = request.query;
        return sendResponse(reply, await calls.answer("http", "notification.unsubscribe", { token }, caller));
      },
    );
  });
}
