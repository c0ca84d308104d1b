import {
  type Invocation,
  type Interaction,
  LIMITS,
  type Modal,
  type ModalErrors,
  modalErrorsSchema,
  ModalSchema,
  type ModalSubmission,
  type Params,
} from "@fanfare/contract";
import { type NodeContext, parse, serviceError } from "@fanfare/kernel";
import { flag, fromSlackMessage, toMessageContent, slackMessage, text } from "@fanfare/markup";
import { z } from "zod";
import type { BotDocument } from "../bot.repository.ts";
import type { ModalRepository } from "../modal.repository.ts";
import { openModal } from "../open-modal.ts";

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
