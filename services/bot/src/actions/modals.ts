import { LIMITS, type ModalField, type ModalSubmission, type ModalValues } from "@fanfare/contract";
import { assertNotMuted, type Handlers, invalid, newId, serviceError } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import { openModal, openTrigger, sealTrigger } from "../open-modal.ts";
import { askBot, botThere } from "./interactions.ts";
import { requireBot } from "./own-bot.ts";

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
