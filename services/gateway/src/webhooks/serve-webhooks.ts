import { ERRORS, LIMITS, type Params, type WireAnswer } from "@fanfare/contract";
import type { FileStorage } from "@fanfare/files";
import { serviceError, toServiceError, WorkQueue } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../calls.ts";
import { clientAddress } from "../identify.ts";
import {
  MAX_FORMS_PER_WEBHOOK,
  MAX_WEBHOOK_FORMS,
  WEBHOOK_FILES_RATE_LIMIT,
  WEBHOOK_FORMS_RETRY_MS,
} from "../constants.ts";
import type { RouteOptions } from "../http-server.ts";
import { sendResponse, setStatus } from "../responses.ts";
import { type Kind, kindNamed, type Message, messageOf, recognize } from "./kinds.ts";
import { isForm, postFiles, readBody } from "./request-body.ts";

interface Place {
  Params: { webhookId: string; token: string; kind?: string };
  Querystring: { wait?: unknown };
}

interface Outcome {
  answer: WireAnswer<unknown>;
  /** undefined if the format isn't known. */
  kind: Kind | undefined;
  /** null if nothing is posted. */
  message: Message | null;
}

/**
 * `POST /api/webhooks/<webhookId>/<token>` for the programs that `kinds.ts` lists, each in its own format. The format can be
 * named at the end of the address. Forms with files are read into memory.
 */
export async function serveWebhooks(
  app: FastifyInstance,
  { node, calls, limits }: RouteOptions,
  storage: FileStorage,
): Promise<void> {
  const forms = new WorkQueue({
    atOnce: MAX_WEBHOOK_FORMS,
    waiting: 0,
    retryAfterMs: WEBHOOK_FORMS_RETRY_MS,
  });
  const formsOf = new Map<string, number>();
  const filesLimit = limits.quick("webhook files", WEBHOOK_FILES_RATE_LIMIT);

  /** @throws {ServiceError} OVERLOADED */
  const runForm = async (webhookId: string, work: () => Promise<void>): Promise<void> => {
    const running = formsOf.get(webhookId) ?? 0;
    if (running >= MAX_FORMS_PER_WEBHOOK)
      throw serviceError("OVERLOADED", { retryAfterMs: WEBHOOK_FORMS_RETRY_MS });
    formsOf.set(webhookId, running + 1);
    try {
      await forms.run(work);
    } finally {
      const left = formsOf.get(webhookId)! - 1;
      if (left > 0) formsOf.set(webhookId, left);
      else formsOf.delete(webhookId);
    }
  };

  /** Fills in the outcome step by step, because errors are answered in the way of the sender too. */
  const post = async (request: FastifyRequest<Place>, caller: Caller, outcome: Outcome): Promise<void> => {
    const { params, headers } = request;
    const { webhookId, token } = params;
    const { secret } = await calls.follow(() => node.services.webhook.getSecret({ webhookId }));
    const { payload, files, isOfDiscord } = await readBody(request, secret);
    const hasFiles = files.length > 0;
    outcome.kind ??= isOfDiscord ? kindNamed("discord") : recognize(payload, headers, hasFiles);
    const message = messageOf(outcome.kind, payload, headers, hasFiles);
    if (message === null) return;
    outcome.message = message;
    const call = { webhookId, token, ...message, ...(secret !== null && { secret }) };
    if (!hasFiles) {
      outcome.answer = await calls.answer("http", "webhook.execute", call, caller);
      return;
    }
    const retryAfterMs = filesLimit.take(webhookId, Date.now(), files.length);
    if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
    // The action checks them.
    const unchecked = call as Params<"webhook.executeWithFiles">;
    outcome.answer = { ok: true, data: await postFiles({ node, calls, storage }, unchecked, files) };
  };

  const handle = async (request: FastifyRequest<Place>, reply: FastifyReply): Promise<FastifyReply> => {
    const { params, headers, raw, id: requestId } = request;
    const { webhookId, token } = params;
    const caller: Caller = { actor: null, address: clientAddress(raw, node.config.trustProxy), requestId };
    // Before the body is looked at: that costs more, and only those who have the address should be able to cause it.
    const checked = await calls.answer("http", "webhook.check", { webhookId, token }, caller);
    const outcome: Outcome = { answer: checked, kind: undefined, message: null };
    try {
      if (params.kind !== undefined) outcome.kind = kindNamed(params.kind);
      const work = () => post(request, caller, outcome);
      if (checked.ok) await (isForm(headers["content-type"]) ? runForm(webhookId, work) : work());
    } catch (error) {
      outcome.answer = calls.refuse(toServiceError(error), requestId);
    }
    const { answer, kind, message } = outcome;
    if (!answer.ok && !raw.readableEnded) {
      // Clients don't read the response before they have sent everything, unless that is too much.
      if (answer.error.type === "PAYLOAD_TOO_LARGE") reply.header("connection", "close");
      raw.resume();
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
    // Read only once the webhook has been checked.
    scope.addContentTypeParser("multipart/form-data", (_request, _body, done) => done(null));
    const options = { helmet: false, bodyLimit: LIMITS.webhookBodyMaxBytes } as const;
    scope.post<Place>("/api/webhooks/:webhookId/:token", options, handle);
    scope.post<Place>("/api/webhooks/:webhookId/:token/:kind", options, handle);
  });
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
