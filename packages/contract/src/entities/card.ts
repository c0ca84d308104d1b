import { z } from "zod";
import { charsOfCards, charsOfControls, urlsOf } from "../cards.ts";
import { LIMITS } from "../limits.ts";
import { httpAddress, trigger } from "./bot.ts";
import { cardFieldName, cardLine, cardText, entity, id, time, wellFormed } from "./primitives.ts";

/** What Slack and Mattermost call an attachment, and Discord an embed. Its optional fields are absent instead of empty. */
export const CardSchema = entity("Card", {
  title: cardLine.optional(),
  url: httpAddress.optional().describe("what the title links to"),
  text: cardText(LIMITS.cardTextMaxChars).optional().describe("Markdown"),
  color: z.int().min(0).max(0xffffff).optional().describe("of the bar beside the card: 0xRRGGBB"),
  author: z.object({ name: cardLine, url: httpAddress.optional() }).optional(),
  fields: z
    .array(
      z.object({
        name: cardFieldName.describe("can be empty"),
        value: cardText(LIMITS.cardFieldMaxChars).describe("Markdown"),
        short: z.boolean().optional().describe("true: beside other short fields"),
      }),
    )
    .min(1)
    .max(LIMITS.fieldsPerCard)
    .optional(),
  footer: cardLine.optional(),
  time: time.optional().describe("shown in the footer"),
  imageFileId: id.optional().describe("an image among the attachments of the message, shown in the card"),
  imageUrl: httpAddress.optional().describe("an image elsewhere; clients link to it instead of loading it"),
});
export type Card = z.output<typeof CardSchema>;

/** A color or a URL alone is not a card. */
const hasContent = ({ title, text, author, fields, footer, imageFileId, imageUrl }: Card): boolean =>
  (title ?? text ?? author ?? fields ?? footer ?? imageFileId ?? imageUrl) !== undefined;

/** Cards without their attachments can be empty. */
export const cardsWithoutFiles = z
  .array(CardSchema)
  .max(LIMITS.cardsPerMessage)
  .refine(
    (all) => charsOfCards(all) <= LIMITS.cardsMaxChars,
    `the texts of all cards must have at most ${LIMITS.cardsMaxChars} characters together`,
  )
  .refine(
    (all) => urlsOf(all, []).join("").length <= LIMITS.cardUrlsMaxChars,
    `the URLs of all cards must have at most ${LIMITS.cardUrlsMaxChars} characters together`,
  );
export const cards = cardsWithoutFiles.refine(
  (all) => all.every(hasContent),
  "each card needs a title, a text, fields or an image",
);

export const hasTextOrCards = (message: {
  content?: string | undefined;
  cards?: unknown[] | undefined;
}): boolean => (message.content ?? "") !== "" || (message.cards ?? []).length > 0;

const isDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

const label = cardLine.max(LIMITS.controlLabelMaxChars);
export const controlId = z
  .string()
  .min(1)
  .max(LIMITS.controlIdMaxChars)
  .describe("chosen by the bot, which receives it");
const LinkSchema = z.object({ kind: z.literal("link"), label, url: httpAddress });
/** An interactive element below a message: a button, a select menu or a link. */
export const ControlSchema = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("button"),
      id: controlId,
      label,
      style: z.enum(["default", "primary", "danger"]).optional(),
    }),
    LinkSchema,
    z.object({
      kind: z.literal("select"),
      id: controlId,
      label: label.describe("shown while nothing is chosen"),
      options: z
        .array(z.object({ value: controlId, label }))
        .min(1)
        .max(LIMITS.optionsPerSelect)
        .refine((all) => isDistinct(all.map(({ value }) => value)), "each option needs a value of its own"),
    }),
  ])
  .meta({ id: "Control" });
export type Control = z.output<typeof ControlSchema>;

const isShort = [
  (all: readonly Control[]): boolean => charsOfControls(all) <= LIMITS.controlsMaxChars,
  `the labels, ids, values and URLs of all controls must have at most ${LIMITS.controlsMaxChars} characters together`,
] as const;
export const controls = z
  .array(ControlSchema)
  .max(LIMITS.controlsPerMessage)
  .refine(
    (all) => isDistinct(all.flatMap((control) => (control.kind === "link" ? [] : [control.id]))),
    "each control needs an id of its own",
  )
  .refine(...isShort);
/** For senders that receive nothing. */
export const links = z
  .array(LinkSchema)
  .max(LIMITS.controlsPerMessage)
  .refine(...isShort);

/** A message that only one user sees. It is not stored. */
export const EphemeralSchema = entity("Ephemeral", {
  id,
  channelId: id,
  authorId: id.describe("the bot"),
  content: z.string(),
  cards: z.array(CardSchema).min(1).optional(),
  controls: links.min(1).optional(),
  createdAt: time,
});
export type Ephemeral = z.output<typeof EphemeralSchema>;

const modalLabel = cardLine.min(1).max(LIMITS.controlLabelMaxChars);
const common = {
  id: controlId.describe("chosen by the bot, which receives the value under it"),
  label: modalLabel,
  hint: cardLine.optional().describe("shown below the field"),
};
const option = z.object({ value: controlId, label: modalLabel });

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

/** A dialog that a bot opens for one user. */
export const ModalSchema = entity("Modal", {
  id: controlId.describe("chosen by the bot, which receives it"),
  title: modalLabel,
  submitLabel: modalLabel.optional(),
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
