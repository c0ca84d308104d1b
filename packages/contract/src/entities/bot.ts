import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { entity, id, nickname, time } from "./primitives.ts";

/** What a bot's token can allow. The permissions of the bot's user apply as well. */
export const botScope = z.enum([
  "group.read",
  "messages.read",
  "messages.write",
  "messages.manage",
  "channels.manage",
  "members.manage",
  "roles.manage",
  "invites.manage",
  "commands",
  "events",
]);
export type BotScope = z.output<typeof botScope>;

export const httpAddress = z
  .url({ protocol: /^https?$/, message: "must start with https:// or http://" })
  .max(LIMITS.urlMaxChars);

const messageEvent = z.enum(["message.created", "message.changed", "message.deleted"]);
/** Events that a bot can receive by callback. */
export const botEvent = z.enum([
  ...messageEvent.options,
  "command.invoked",
  "interaction.created",
  "modal.submitted",
]);
export type BotEvent = z.output<typeof botEvent>;
export type BotMessageEvent = z.output<typeof messageEvent>;

/** Whether a bot needs the permission to read messages for an event. */
export const isMessageEvent = (name: BotEvent): name is BotMessageEvent =>
  messageEvent.options.some((option) => option === name);

const BotCallbackSchema = entity("BotCallback", {
  url: z.string(),
  events: z.array(botEvent),
  state: z
    .enum(["active", "failing", "disabled"])
    .describe("failing: being retried; disabled: stopped until the bot subscribes again"),
  failures: z.int().describe("since the last success"),
  lastError: z.string().nullable(),
});

export const BotSchema = entity("Bot", {
  id: id.describe("also the id of its user"),
  groupId: id,
  name: z.string(),
  scopes: z.array(botScope).describe("what its token allows"),
  createdBy: id,
  createdAt: time,
  callback: BotCallbackSchema.nullable().describe("null: the bot receives events by socket only"),
});
export type Bot = z.output<typeof BotSchema>;

export const commandName = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9_-]{1,${LIMITS.commandNameMaxChars}}$`),
    `must be 1-${LIMITS.commandNameMaxChars} small letters, digits, '_' or '-'`,
  );

export const CommandOptionSchema = z.object({
  name: commandName,
  description: nickname,
  required: z.boolean().default(false),
});

export const CommandSchema = entity("Command", {
  botId: id,
  name: z.string().describe("without the slash"),
  description: z.string(),
  options: z.array(z.object({ name: z.string(), description: z.string(), required: z.boolean() })),
});
export type Command = z.output<typeof CommandSchema>;

export const trigger = z
  .string()
  .max(LIMITS.triggerMaxChars)
  .describe(`lets the bot open a modal within ${LIMITS.triggerLifetimeMs / 1000} s`);

export const InvocationSchema = entity("Invocation", {
  id,
  botId: id,
  groupId: id,
  channelId: id,
  userId: id.describe("the author"),
  command: z.string(),
  text: z.string().describe("the text after the command name"),
  trigger,
  invokedAt: time,
});
export type Invocation = z.output<typeof InvocationSchema>;

export const InteractionSchema = entity("Interaction", {
  id,
  botId: id,
  groupId: id,
  channelId: id,
  messageId: id,
  userId: id.describe("who pressed the button or chose the option"),
  controlId: z.string(),
  value: z.string().nullable().describe("of the chosen option; null for a button"),
  trigger,
  createdAt: time,
});
export type Interaction = z.output<typeof InteractionSchema>;

export const WebhookSchema = entity("Webhook", {
  id,
  channelId: id,
  name: z.string(),
  avatarUrl: z.string().nullable(),
  signed: z.boolean().describe("whether it has a secret, with which requests have to be signed"),
  createdBy: id.describe("the user whose permissions the webhook has"),
  createdAt: time,
});
export type Webhook = z.output<typeof WebhookSchema>;

export const heldTokenKind = z.enum(["bot", "webhook"]);
/** A bot or webhook token, which acts with its holder's permissions. */
export const HeldTokenSchema = entity("HeldToken", {
  kind: heldTokenKind,
  id,
  name: z.string(),
  createdAt: time,
});
export type HeldToken = z.output<typeof HeldTokenSchema>;
