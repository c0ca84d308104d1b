import { serviceError, type ServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type * as docs from "@fanfare/contract/docs";

interface WebhookRouteOptions {
  /** Answers an action call. */
  answer: (
    request: FastifyRequest,
    reply: FastifyReply,
    action: string,
    params: unknown,
  ) => Promise<FastifyReply>;
  refuse: (request: FastifyRequest, reply: FastifyReply, error: ServiceError) => FastifyReply;
}

interface Place {
  Params: { webhookId: string; token: string };
}

/**
 * `POST /api/webhooks/<webhookId>/<token>` with `{content}`, or the format for Slack (`text`, `username`, `icon_url`) or Discord
 * (`username`, `avatar_url`). Other fields, such as embeds, are ignored.
 */
export function serveWebhooks(app: FastifyInstance, { answer, refuse }: WebhookRouteOptions): void {
  app.post<Place>("/api/webhooks/:webhookId/:token", { helmet: false }, async (request, reply) => {
    const { body } = request;
    if (typeof body !== "object" || body === null || Array.isArray(body))
      return refuse(request, reply, serviceError("MALFORMED_REQUEST"));
    const given = body as Record<string, unknown>;
    const params = {
      ...request.params,
      content: given["content"] ?? given["text"],
      name: given["name"] ?? given["username"],
      avatarUrl: given["avatarUrl"] ?? given["avatar_url"] ?? given["icon_url"],
      nonce: given["nonce"],
    };
    return answer(request, reply, "webhook.execute", params);
  });
}

const MAX_AGE_S = 300;

/**
 * API documentation, for people and tools; generated on first use and cached.
 * @param charge called with the size of each response, in bytes
 */
export function serveDocs(
  app: FastifyInstance,
  charge: (request: FastifyRequest, bytes: number) => void,
): void {
  const made = new Map<string, Promise<string>>();
  const serve = (path: string, type: string, make: (docs: Docs) => string): void => {
    app.get(path, async (request, reply) => {
      const making = made.get(path) ?? import("@fanfare/contract/docs").then(make);
      made.set(path, making);
      const content = await making;
      charge(request, Buffer.byteLength(content));
      return reply.header("cache-control", `public, max-age=${MAX_AGE_S}`).type(type).send(content);
    });
  };
  serve("/api/openapi.json", "application/json; charset=utf-8", ({ openApiDocument }) =>
    JSON.stringify(openApiDocument()),
  );
  serve("/api/asyncapi.json", "application/json; charset=utf-8", ({ asyncApiDocument }) =>
    JSON.stringify(asyncApiDocument()),
  );
  serve("/api/docs", "text/html; charset=utf-8", ({ apiPage }) => apiPage());
  serve("/api/docs.css", "text/css; charset=utf-8", ({ API_PAGE_STYLE }) => API_PAGE_STYLE);
}

type Docs = typeof docs;
