import { serviceError, type ServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

export interface WebhookRouteOptions {
  /** Answers the call of an action. */
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
 * `POST /api/webhooks/<webhookId>/<token>` with `{content}`, or what programs send that were written for Slack (`text`, `username`, `icon_url`)
 * or Discord (`username`, `avatar_url`). What else they send, such as embeds, is left out.
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
