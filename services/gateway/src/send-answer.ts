import { ERRORS, type WireAnswer } from "@fanfare/contract";
import type { FastifyReply } from "fastify";

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
