import { randomBytes } from "node:crypto";
import { ERRORS, type WireAnswer } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ONE_YEAR_S } from "./constants.ts";

/** Sends the result of a call by HTTP. */
export const sendResponse = (reply: FastifyReply, response: WireAnswer<unknown>): FastifyReply =>
  setStatus(reply, response).send(response);

/** The status and headers for the result of a call. */
export function setStatus(reply: FastifyReply, response: WireAnswer<unknown>): FastifyReply {
  reply.header("cache-control", "no-store");
  if (!response.ok) {
    const { type, data } = response.error;
    reply.code(ERRORS[type].status);
    if (ERRORS[type].status === 401) reply.header("www-authenticate", "Bearer");
    const { retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
    if (retryAfterMs !== undefined) reply.header("retry-after", Math.ceil(retryAfterMs / 1000));
  }
  return reply;
}

type AddRoutes = (scope: FastifyInstance) => void;

/** Routes that accept any content type, and don't read the body before its destination is known. */
export async function withUnreadBodies(app: FastifyInstance, addRoutes: AddRoutes): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    addRoutes(scope);
  });
}

/** Routes that accept any content type, and get the body as text, as it was received. */
export async function withTextBodies(app: FastifyInstance, addRoutes: AddRoutes): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    addRoutes(scope);
  });
}

type Headers = Record<string, string>;

/**
 * Headers of every response. HSTS only with a public URL that uses TLS: otherwise the instance would become unreachable.
 */
export function commonHeaders({ publicUrl }: Pick<NodeContext["config"], "publicUrl">): Headers {
  return {
    "x-content-type-options": "nosniff",
    ...(publicUrl.startsWith("https:") && { "strict-transport-security": `max-age=${ONE_YEAR_S}` }),
  };
}

/**
 * Headers of API responses; pages and files have their own. Responses are data: browsers must not run or frame them, and only
 * pages of CORS_ORIGINS can read them.
 */
export const API_HEADERS: Headers = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

const process = randomBytes(6).toString("base64url");
let count = 0;

/** Unique across processes and restarts, and cheap because every call gets one. */
export function nextRequestId(): string {
  count += 1;
  return `${process}.${count.toString(36)}`;
}

/** Whether a client's request id is safe to use in logs and responses. */
export function isSaneRequestId(id: unknown): id is string {
  return typeof id === "string" && /^[\w.:-]{1,64}$/.test(id);
}
