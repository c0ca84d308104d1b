import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { trigger } from "./bot.ts";
import { controlId } from "./card.ts";
import { cardLine, cardText, entity, id, time, wellFormed } from "./primitives.ts";

const label = cardLine.min(1).max(LIMITS.controlLabelMaxChars);
const common = {
  id: controlId.describe("chosen by the bot, which receives the value under it"),
  label,
  hint: cardLine.optional().describe("shown below the field"),
};
const option = z.object({ value: controlId, label });

export const ModalFieldSchema = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("text"),
      ...common,
      placeholder: cardLine.optional(),
      initial: cardText(LIMITS.modalTextMaxChars).optional(),
      multiline: z.boolean().optional(),
      required: z.boolean().optional(),
      maxChars: z.int().min(1).max(LIMITS.modalTextMaxChars).optional(),
    }),
    z.object({
      kind: z.literal("select"),
      ...common,
      options: z.array(option).min(1).max(LIMITS.optionsPerSelect),
      initial: controlId.optional().describe("the value of the chosen option"),
      required: z.boolean().optional(),
    }),
    z.object({ kind: z.literal("checkbox"), ...common, initial: z.boolean().optional() }),
  ])
  .meta({ id: "ModalField" });
export type ModalField = z.output<typeof ModalFieldSchema>;

const isDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

/** A dialog that a bot opens for one user. */
export const ModalSchema = entity("Modal", {
  id: controlId.describe("chosen by the bot, which receives it"),
  title: label,
  submitLabel: label.optional(),
  fields: z
    .array(ModalFieldSchema)
    .min(1)
    .max(LIMITS.fieldsPerModal)
    .refine((all) => isDistinct(all.map((field) => field.id)), "each field needs an id of its own")
    .refine(
      (all) =>
        all.every((field) => field.kind !== "select" || isDistinct(field.options.map(({ value }) => value))),
      "each option needs a value of its own",
    )
    .refine(
      (all) => JSON.stringify(all).length <= LIMITS.modalMaxChars,
      `the fields must have at most ${LIMITS.modalMaxChars} characters together, as JSON`,
    ),
});
export type Modal = z.output<typeof ModalSchema>;

export const OpenedModalSchema = entity("OpenedModal", {
  id: id.describe("the id of the interaction, invocation or submission that it was opened for"),
  botId: id,
  channelId: id,
  modal: ModalSchema,
  expiresAt: time,
});
export type OpenedModal = z.output<typeof OpenedModalSchema>;

/** By the id of the field: a text, the value of the chosen option (empty: none), or whether a checkbox is checked. */
export const modalValues = z.record(controlId, wellFormed.max(LIMITS.modalTextMaxChars).or(z.boolean()));
export type ModalValues = z.output<typeof modalValues>;

/** By the id of the field. */
export const modalErrors = z
  .record(controlId, cardLine)
  .refine((all) => Object.keys(all).length <= LIMITS.fieldsPerModal, "has more errors than fields");
export type ModalErrors = z.output<typeof modalErrors>;

export const ModalSubmissionSchema = entity("ModalSubmission", {
  id: id.describe("for interaction.acknowledge"),
  botId: id,
  groupId: id,
  channelId: id,
  userId: id,
  modalId: z.string().describe("chosen by the bot"),
  values: modalValues,
  trigger,
  createdAt: time,
});
export type ModalSubmission = z.output<typeof ModalSubmissionSchema>;
