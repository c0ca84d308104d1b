import { ERRORS, LIMITS, type WireAnswer } from "@fanfare/contract";
import { type NodeContext, serviceError, toServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Calls } from "../calls.ts";
import { clientAddress } from "../client-address.ts";
import { sendResponse, setStatus } from "../responses.ts";
import { isSigned } from "./signature.ts";
import { type Kind, kindNamed, type Message, messageOf, type Payload, recognize } from "./kinds.ts";

interface Place {
  Params: { webhookId: string; token: string; kind?: string };
  Querystring: { wait?: unknown };
}

interface WebhookRouteOptions {
  node: NodeContext;
  calls: Calls;
}

/**
 * `POST /api/webhooks/<webhookId>/<token>` for the programs that `kinds.ts` lists, each in its own format. The format can be
 * named at the end of the address.
 */
export async function serveWebhooks(
  app: FastifyInstance,
  { node, calls }: WebhookRouteOptions,
): Promise<void> {
  const handle = async (request: FastifyRequest<Place>, reply: FastifyReply): Promise<FastifyReply> => {
    const { params, headers, id: requestId } = request;
    const { webhookId, token } = params;
    const caller: Caller = {
      actor: null,
      address: clientAddress(request.raw, node.config.trustProxy),
      requestId,
    };
    let kind: Kind | undefined;
    let message: Message | null = null;
    // Before the body is looked at: that costs more, and only those who have the address should be able to cause it.
    let answer = await calls.answer("http", "webhook.check", { webhookId, token }, caller);
    try {
      if (params.kind !== undefined) kind = kindNamed(params.kind);
      if (answer.ok) {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { secret } = await calls.follow(() => node.services.webhook.getSecret({ webhookId }));
        if (secret !== null && !isSigned(headers, body, secret)) throw serviceError("SIGNATURE_INVALID");
        const payload = payloadOf(body.toString());
        kind ??= recognize(payload, headers);
        message = messageOf(kind, payload, headers);
        if (message !== null) {
          const call = { webhookId, token, ...message, ...(secret !== null && { secret }) };
          answer = await calls.answer("http", "webhook.execute", call, caller);
        }
      }
    } catch (error) {
      answer = calls.refuse(toServiceError(error), requestId);
    }
    if (kind?.answers === "slack") return sendAsSlack(reply, answer);
    if (kind?.answers === "discord" && answer.ok)
      return sendAsDiscord(reply, answer, request.query.wait === "true", { ...message, webhookId });
    return sendResponse(reply, answer);
  };

  await app.register(async (scope) => {
    // Many programs send JSON as another type, or as a form.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    const options = { helmet: false, bodyLimit: LIMITS.webhookBodyMaxBytes } as const;
    scope.post<Place>("/api/webhooks/:webhookId/:token", options, handle);
    scope.post<Place>("/api/webhooks/:webhookId/:token/:kind", options, handle);
  });
}

/**
 * The JSON object of a body, or of a form's field `payload`, as Slack and GitHub send it.
 * @throws {ServiceError} MALFORMED_REQUEST
 */
function payloadOf(body: string): Payload {
  const json = body.trimStart();
  const form = json.startsWith("{") ? null : new URLSearchParams(body);
  const inForm = form?.get("payload") ?? form?.get("payload_json");
  if (form !== null && inForm == null && (form.has("text") || form.has("content")))
    return Object.fromEntries(form);
  let payload: unknown;
  try {
    payload = JSON.parse(inForm ?? json);
  } catch {
    throw serviceError("MALFORMED_REQUEST");
  }
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    throw serviceError("MALFORMED_REQUEST");
  return payload as Payload;
}

/** Slack's responses are texts; programs check that it is `ok`. */
function sendAsSlack(reply: FastifyReply, answer: WireAnswer<unknown>): FastifyReply {
  setStatus(reply, answer);
  if (answer.ok) return reply.send("ok");
  const { type, message, data } = answer.error;
  const { issues = [] } = (data ?? {}) as { issues?: readonly { path: string; message: string }[] };
  const details = issues.map((issue) => `${issue.path} ${issue.message}`).join("\n") || message;
  if (ERRORS[type].status === 422) reply.code(400);
  return reply.send(`${slackError(type, issues)}\n${details}`);
}

function slackError(type: keyof typeof ERRORS, issues: readonly { path: string }[]): string {
  if (type === "WEBHOOK_NOT_FOUND") return "no_service";
  if (type === "MALFORMED_REQUEST") return "invalid_payload";
  if (type !== "VALIDATION_FAILED") return type.toLowerCase();
  return issues[0]?.path === "text" ? "no_text" : "invalid_payload";
}

/** @param isWaiting whether the sender wants the message, and not only success */
function sendAsDiscord(
  reply: FastifyReply,
  answer: WireAnswer<unknown>,
  isWaiting: boolean,
  { content, name, webhookId }: Partial<Message> & { webhookId: string },
): FastifyReply {
  setStatus(reply, answer);
  if (!answer.ok || !isWaiting) return reply.code(204).send();
  const { messageId, channelId } = answer.data as { messageId: string; channelId: string };
  return reply.send({
    id: messageId,
    type: 0,
    channel_id: channelId,
    webhook_id: webhookId,
    content,
    author: { id: webhookId, username: name ?? "", avatar: null, discriminator: "0000", bot: true },
    timestamp: new Date().toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    components: [],
    pinned: false,
    flags: 0,
  });
}
