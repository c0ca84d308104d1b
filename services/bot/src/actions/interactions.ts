import {
  type Control,
  type DomainEvents,
  type Interaction,
  LIMITS,
  type Message,
  type ModalErrors,
  userRoom,
  type ModalField,
  type ModalSubmission,
  type ModalValues,
} from "@fanfare/contract";
import { assertNotMuted, can, type Handlers, invalid, newId, orThrow, serviceError } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import type { BotDocument } from "../bot.repository.ts";
import { type AskedEvent, askedOf } from "../callbacks/callbacks.ts";
import { WAITING_PER_BOT } from "../constants.ts";
import { sealTrigger, openModal, openTrigger } from "../open-modal.ts";
import { requireBot } from "./own-bot.ts";

const OVERLOADED_RETRY_MS = 1000;

/** What a bot answers: the errors of a submitted modal. null: it hasn't acknowledged it. */
type Answer = ModalErrors | null;

interface Waiting {
  botId: string;
  /** Stops the timeout while the bot's response is applied. @returns false if it is over */
  stopTimeout: () => boolean;
  finish: (answer: Answer) => void;
}

/** Calls of this process that wait for a bot, by the id of the interaction. */
export class PendingInteractions {
  readonly #waiting = new Map<string, Waiting>();

  /** @throws {ServiceError} OVERLOADED when too many wait for this bot */
  start(interactionId: string, botId: string): { answer: Promise<Answer>; waiting: Waiting } {
    const ofBot = [...this.#waiting.values()].filter((one) => one.botId === botId);
    if (ofBot.length >= WAITING_PER_BOT)
      throw serviceError("OVERLOADED", { retryAfterMs: OVERLOADED_RETRY_MS });
    const { promise: answer, resolve } = Promise.withResolvers<Answer>();
    let isTooLate = false;
    const timer = setTimeout(() => {
      isTooLate = true;
      waiting.finish(null);
    }, LIMITS.interactionTimeoutMs);
    const waiting: Waiting = {
      botId,
      stopTimeout: () => {
        clearTimeout(timer);
        return !isTooLate;
      },
      finish: (given) => {
        clearTimeout(timer);
        this.#waiting.delete(interactionId);
        resolve(given);
      },
    };
    this.#waiting.set(interactionId, waiting);
    return { answer, waiting };
  }

  /** Does nothing if no call of this process waits for it. */
  acknowledge({ interactionId, botId, errors }: DomainEvents["interaction.acknowledged"]): void {
    const waiting = this.#waiting.get(interactionId);
    if (waiting?.botId === botId) waiting.finish(errors);
  }
}

export function interactionActions(dependencies: BotDependencies): Handlers {
  const { bots, node, triggerSealer } = dependencies;
  return {
    "interaction.create": async ({ params, actor: { userId }, access }) => {
      const { channelId, messageId, controlId, value } = params;
      assertNotMuted(access);
      const { groupId } = access;
      const { messages } = await node.services.message.getMany({ messageIds: [messageId] });
      const message = orThrow(
        messages.find((one) => one.channelId === channelId) ?? null,
        "MESSAGE_NOT_FOUND",
      );
      checkControl(message, controlId, value);
      const { authorId: botId } = message;
      const bot = await botThere(dependencies, botId, groupId, channelId);
      const id = newId();
      const interaction: Interaction = {
        id,
        botId,
        groupId: groupId!,
        channelId,
        messageId,
        userId,
        controlId,
        value: value ?? null,
        trigger: sealTrigger(triggerSealer, botId, { id, channelId, userId }),
        createdAt: new Date().toISOString(),
      };
      await askBot(dependencies, bot, { type: "interaction.created", interaction });
      return { interactionId: id };
    },

    "interaction.acknowledge": async ({ params: { interactionId, errors }, actor }) => {
      await requireBot(bots, actor);
      node.broadcast("interaction.acknowledged", { interactionId, botId: actor.userId, errors });
      return {};
    },
  };
}

/** @throws {ServiceError} BOT_NOT_FOUND if it isn't in the group, or can't see the channel */
async function botThere(
  { bots, node }: Pick<BotDependencies, "bots" | "node">,
  botId: string,
  groupId: string | null,
  channelId: string,
): Promise<BotDocument> {
  const bot = orThrow(groupId === null ? null : await bots.findInGroup(groupId, botId), "BOT_NOT_FOUND");
  if (!can(await node.access.get(botId, { channelId }), "view")) throw serviceError("BOT_NOT_FOUND");
  return bot;
}

/**
 * Sends it to the bot, by socket and callback, and waits for the answer.
 * @returns the errors of a submitted modal
 * @throws {ServiceError} BOT_NOT_RESPONDING
 */
async function askBot(
  dependencies: BotDependencies,
  bot: BotDocument,
  event: AskedEvent,
): Promise<ModalErrors> {
  const { node, interactions } = dependencies;
  const { _id: botId } = bot;
  const { answer, waiting } = interactions.start(askedOf(event).id, botId);
  if (event.type === "interaction.created")
    node.publish(userRoom(botId), event.type, { interaction: event.interaction });
  else node.publish(userRoom(botId), event.type, { submission: event.submission });
  void deliver(dependencies, bot, event, waiting).catch((error: unknown) =>
    node.logger.warn({ err: error, botId }, "interaction not delivered"),
  );
  return orThrow(await answer, "BOT_NOT_RESPONDING");
}

/** @throws {ServiceError} VALIDATION_FAILED if the message has no such control, or it has no such option */
function checkControl({ controls = [] }: Message, controlId: string, value: string | undefined): void {
  const control = controls.find((one): one is Exclude<Control, { kind: "link" }> => {
    return one.kind !== "link" && one.id === controlId;
  });
  if (control === undefined) throw invalid("controlId", "is not under this message");
  const isChoice =
    control.kind === "select"
      ? control.options.some((option) => option.value === value)
      : value === undefined;
  if (!isChoice) throw invalid("value", "is not an option of this control");
}

/** Without a callback, the bot can still acknowledge the event. */
async function deliver(
  { callbacks }: Pick<BotDependencies, "callbacks">,
  bot: BotDocument,
  event: AskedEvent,
  { stopTimeout, finish }: Waiting,
): Promise<void> {
  let isAnswered = false;
  const answer = await callbacks.ask(bot, event, () => {
    isAnswered = true;
    return stopTimeout();
  });
  if (answer !== null || isAnswered) finish(answer);
}

export function modalActions(dependencies: BotDependencies): Handlers {
  const { bots, modals, triggerSealer } = dependencies;
  return {
    "modal.open": async ({ params: { trigger, modal }, actor }) => {
      await requireBot(bots, actor);
      await openModal(dependencies, actor.userId, openTrigger(triggerSealer, actor.userId, trigger), modal);
      return {};
    },

    "modal.submit": async ({ params: { channelId, modalId, values }, actor: { userId }, access }) => {
      assertNotMuted(access);
      const { groupId } = access;
      const opened = await modals.findOpen(modalId, userId);
      if (opened === null || opened.channelId !== channelId || groupId === null)
        throw serviceError("MODAL_NOT_FOUND");
      const { botId, fields, name } = opened;
      const bot = await botThere(dependencies, botId, groupId, channelId);
      const id = newId();
      const submission: ModalSubmission = {
        id,
        botId,
        groupId,
        channelId,
        userId,
        modalId: name,
        values: checkValues(fields, values),
        trigger: sealTrigger(triggerSealer, botId, { id, channelId, userId }),
        createdAt: new Date().toISOString(),
      };
      const errors = await askBot(dependencies, bot, { type: "modal.submitted", submission });
      if (Object.keys(errors).length === 0) await modals.remove(modalId);
      return { submissionId: id, errors };
    },
  };
}

/**
 * The value of each field, and nothing else.
 * @throws {ServiceError} VALIDATION_FAILED
 */
function checkValues(fields: readonly ModalField[], values: ModalValues): ModalValues {
  return Object.fromEntries(fields.map((field) => [field.id, checkValue(field, values[field.id])]));
}

function checkValue(field: ModalField, value: string | boolean | undefined): string | boolean {
  const wrong = (message: string) => invalid(`values.${field.id}`, message);
  if (field.kind === "checkbox") {
    if (typeof value !== "boolean") throw wrong("must be true or false");
    return value;
  }
  if (typeof value !== "string") throw wrong("must be a text");
  if (field.required === true && value.trim() === "") throw wrong("must not be empty");
  if (field.kind === "text") {
    const maxChars = field.maxChars ?? LIMITS.modalTextMaxChars;
    if (value.length > maxChars) throw wrong(`must have at most ${maxChars} characters`);
  } else if (value !== "" && !field.options.some((option) => option.value === value)) {
    throw wrong("is not an option of this field");
  }
  return value;
}
