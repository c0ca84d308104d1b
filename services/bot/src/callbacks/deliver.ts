import { createHmac } from "node:crypto";
import {
  type BotEvent,
  type BotMessageEvent,
  type Interaction,
  type Invocation,
  isMessageEvent,
  LIMITS,
  type Message,
  type Modal,
  type ModalErrors,
  modalErrorsSchema,
  ModalSchema,
  type ModalSubmission,
  type Params,
} from "@fanfare/contract";
import { type NodeContext, parse, type Sealer, serviceError } from "@fanfare/kernel";
import { flag, fromSlackMessage, slackMessage, text, toMessageContent } from "@fanfare/markup";
import type { Outbound } from "@fanfare/outbound";
import { z } from "zod";
import type { BotDocument, Callback } from "../bot.repository.ts";
import { ANSWER_MAX_BYTES, CALLBACK_TIMEOUT_MS } from "../constants.ts";
import type { ModalRepository } from "../modal.repository.ts";
import { openModal } from "../open-modal.ts";

/** A callback that was not accepted. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  /** The receiver has unsubscribed (410). */
  readonly isGone: boolean;

  constructor(message: string, isGone: boolean) {
    super(message);
    this.isGone = isGone;
  }
}

export interface DeliverOptions {
  outbound: Pick<Outbound, "request">;
  sealer: Pick<Sealer, "open">;
}

/**
 * Sends one callback. Statuses 200 to 299 accept it; redirects don't, because the signature is only meant for this URL.
 * @returns the body of the response
 * @throws {DeliveryError}
 */
export async function deliver(
  { outbound, sealer }: DeliverOptions,
  bot: BotDocument,
  callback: Callback,
  deliveryId: string,
  events: readonly CallbackEvent[],
  timeoutMs = CALLBACK_TIMEOUT_MS,
): Promise<string> {
  const { _id: botId, groupId } = bot;
  const secret = sealer.open(callback.sealedSecret, botId);
  if (secret === null)
    throw new DeliveryError("TOKEN_SECRET has changed: call bot.subscribe with the secret again.", false);
  const body = JSON.stringify({ deliveryId, botId, groupId, events });
  const headers = signedHeaders(secret.text, body, deliveryId, new Date());
  const response = await outbound
    .request({
      url: callback.url,
      method: "POST",
      headers,
      body,
      timeoutMs,
      maxBytes: events.every(({ type }) => isMessageEvent(type)) ? 0 : ANSWER_MAX_BYTES,
    })
    .catch((error: unknown) => {
      throw new DeliveryError(error instanceof Error ? error.message : "It failed.", false);
    });
  const { status, body: answer } = response;
  if (status < 200 || status > 299)
    throw new DeliveryError(`The URL responded with status ${status}.`, status === 410);
  return answer.toString();
}

/** Headers with a signature, so that receivers can verify the sender and detect replays. */
function signedHeaders(secret: string, body: string, deliveryId: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return {
    "content-type": "application/json",
    "fanfare-delivery": deliveryId,
    "fanfare-timestamp": timestamp,
    "fanfare-signature": `v1=${signature}`,
  };
}

type CallbackEvent =
  | { type: BotMessageEvent; message: Message }
  | { type: "command.invoked"; invocation: Invocation }
  | { type: "interaction.created"; interaction: Interaction }
  | { type: "modal.submitted"; submission: ModalSubmission };

/**
 * Converts changes of a channel to the events that the bot has subscribed to, without its own messages.
 * @param afterSeq the newest message delivered to the bot
 */
export function toEvents(
  messages: readonly Message[],
  afterSeq: number,
  wanted: readonly BotEvent[],
  botId: string,
): CallbackEvent[] {
  return messages.flatMap((message): CallbackEvent[] => {
    if (message.authorId === botId) return [];
    const isNew = message.seq > afterSeq;
    // Deleted before it was delivered.
    if (isNew && message.deletedAt !== null) return [];
    const type =
      message.deletedAt !== null ? "message.deleted" : isNew ? "message.created" : "message.changed";
    return wanted.includes(type) ? [{ type, message }] : [];
  });
}

/** Slack's format, in which Fanfare's own fields can be used instead of `text` and `attachments`. */
const response = slackMessage.extend({
  response_type: text,
  replace_original: flag,
  content: z.unknown().optional(),
  cards: z.unknown().optional(),
  controls: z.unknown().optional(),
});

type Asked = Invocation | Interaction | ModalSubmission;

const modalAnswer = z.object({ modal: z.unknown().optional(), errors: z.unknown().optional() });

export interface AnswerOptions {
  node: Pick<NodeContext, "access" | "publish" | "services">;
  modals: ModalRepository;
}

/**
 * Applies the answer in a response to a callback, if there is one.
 * @throws {ServiceError} if the answer is invalid, or the bot can't give it
 */
export async function answerWith(
  options: AnswerOptions,
  bot: Pick<BotDocument, "_id" | "scopes">,
  asked: Asked,
  body: string,
): Promise<void> {
  if (!bot.scopes.includes("messages.write")) return;
  const { modal } = modalAnswerOf(body);
  const { _id: authorId } = bot;
  if (modal !== undefined) {
    const askedAt = "invokedAt" in asked ? asked.invokedAt : asked.createdAt;
    if (Date.now() - Date.parse(askedAt) > LIMITS.triggerLifetimeMs) throw serviceError("TRIGGER_EXPIRED");
    await openModal(options, authorId, asked, parse(ModalSchema, modal) as Modal);
  }
  const answer = parseAnswer(body);
  if (answer === null) return;
  const { id: nonce, channelId, userId } = asked;
  const messageId = "messageId" in asked ? asked.messageId : undefined;
  // A repeated delivery has the same nonce, so it is answered once.
  await options.node.services.message.answer({
    ...answer.message,
    as: answer.as === "update" && messageId === undefined ? "message" : answer.as,
    authorId,
    channelId,
    userId,
    nonce,
    ...(messageId !== undefined && { messageId }),
  });
}

type Answer = Pick<Params<"message.answer">, "as"> & {
  message: Pick<Params<"message.answer">, "content" | "cards" | "controls">;
};

/** null: the response has no answer. Many servers respond with a text such as `ok`. */
export function parseAnswer(body: string): Answer | null {
  const read = response.safeParse(jsonOf(body));
  if (!read.success) return null;
  const { response_type: type, replace_original: isUpdate, content, cards, controls, ...slack } = read.data;
  const as = isUpdate ? "update" : type === "in_channel" ? "message" : "ephemeral";
  if ((content ?? cards ?? controls) !== undefined) {
    // Checked by the action.
    const message = { content, cards, controls } as Answer["message"];
    return { as, message };
  }
  const message = toMessageContent(fromSlackMessage(slack));
  if (message.content === "" && message.cards === undefined) return null;
  // In Slack's format, parts that are absent are removed from the original.
  return { as, message: isUpdate ? { cards: [], controls: [], ...message } : message };
}

/**
 * The errors of a submitted modal; empty: the response has none. Slack's have the same field.
 * @throws {ServiceError} VALIDATION_FAILED
 */
export function errorsOf(body: string): ModalErrors {
  return parse(modalErrorsSchema, modalAnswerOf(body).errors ?? {}) as ModalErrors;
}

function modalAnswerOf(body: string): z.output<typeof modalAnswer> {
  const read = modalAnswer.safeParse(jsonOf(body));
  return read.success ? read.data : {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
