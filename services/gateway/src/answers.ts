import { ERRORS, type WireAnswer } from "@fanfare/contract";
import type { FastifyReply } from "fastify";
import type { NodeContext } from "@fanfare/kernel";

/** Answers a call by HTTP. */
export function sendAnswer(reply: FastifyReply, answer: WireAnswer<unknown>): FastifyReply {
  reply.header("cache-control", "no-store");
  if (!answer.ok) {
    const { type, data } = answer.error;
    reply.code(ERRORS[type].status);
    if (ERRORS[type].status === 401) reply.header("www-authenticate", "Bearer");
    const { retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
    if (retryAfterMs !== undefined) reply.header("retry-after", Math.ceil(retryAfterMs / 1000));
  }
  return reply.send(answer);
}

const ONE_YEAR_S = 365 * 24 * 60 * 60;

type Headers = Record<string, string>;

/**
 * What every answer says to browsers. Without TLS in front of it, an instance that asked for TLS could not be reached any more.
 */
export function commonHeaders({ publicUrl }: Pick<NodeContext["config"], "publicUrl">): Headers {
  return {
    "x-content-type-options": "nosniff",
    ...(publicUrl.startsWith("https:") && { "strict-transport-security": `max-age=${ONE_YEAR_S}` }),
  };
}

/**
 * What the API says besides; pages and files have their own. An answer is data: nothing in it runs or is framed, and no page of
 * another origin reads it that CORS_ORIGINS does not let in.
 */
export const API_HEADERS: Headers = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};
