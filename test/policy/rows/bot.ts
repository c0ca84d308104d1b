import { messageOf, row } from "../row.ts";

const NOT_THERE = "0".repeat(24);
const noBot = ({ group }: { group: { id: string } }) => ({ groupId: group.id, botId: NOT_THERE });
const notFound = { why: "there is no such bot", allowed: "BOT_NOT_FOUND" } as const;
const botsOnly = { why: "only bots can call it", allowed: "BOTS_ONLY", bot: "ok" } as const;

/** Existing bots, and what bots themselves can do, are tested in services/bot/test. */
export const botRows = {
  "bot.create": row("bot.create", ({ group }) => ({
    groupId: group.id,
    name: "Robot",
    scopes: ["messages.write"],
  })),
  "bot.list": row("bot.list", ({ group }) => ({ groupId: group.id })),
  "bot.update": row("bot.update", (world) => ({ ...noBot(world), name: "Other" }), notFound),
  "bot.rotateToken": row("bot.rotateToken", noBot, notFound),
  "bot.delete": row("bot.delete", noBot, notFound),
  "bot.listTokens": row("bot.listTokens", () => ({})),
  "bot.revokeToken": row("bot.revokeToken", () => ({ kind: "bot", id: NOT_THERE }), {
    why: "they have no such token",
    allowed: "BOT_NOT_FOUND",
  }),
  "bot.me": row("bot.me", () => ({}), botsOnly),
  "bot.subscribe": row(
    "bot.subscribe",
    () => ({ url: "https://bot.example/", secret: "0123456789abcdef", events: ["message.created"] }),
    botsOnly,
  ),
  "bot.unsubscribe": row("bot.unsubscribe", () => ({}), botsOnly),
  "command.register": row("command.register", () => ({ name: "ask", description: "Ask" }), botsOnly),
  "command.unregister": row("command.unregister", () => ({ name: "ask" }), botsOnly),
  "interaction.create": row(
    "interaction.create",
    (world) => ({ ...messageOf(world), controlId: "approve" }),
    {
      why: "the message has no buttons, and muted members could not press any",
      allowed: "VALIDATION_FAILED",
      muted: "MUTED",
    },
  ),
  "interaction.acknowledge": row("interaction.acknowledge", () => ({ interactionId: NOT_THERE }), botsOnly),
  "modal.open": row(
    "modal.open",
    () => ({
      trigger: "unknown",
      modal: { id: "ask", title: "Ask", fields: [{ kind: "checkbox", id: "sure", label: "Sure" }] },
    }),
    { ...botsOnly, bot: "TRIGGER_EXPIRED" },
  ),
  "modal.submit": row(
    "modal.submit",
    ({ channel }) => ({ channelId: channel.id, modalId: NOT_THERE, values: {} }),
    {
      why: "no modal is open, and muted members could not submit one",
      allowed: "MODAL_NOT_FOUND",
      muted: "MUTED",
    },
  ),
  "command.list": row("command.list", ({ channel }) => ({ channelId: channel.id })),
  "command.invoke": row("command.invoke", ({ channel }) => ({ channelId: channel.id, name: "nothing" }), {
    why: "there is no such command",
    allowed: "COMMAND_NOT_FOUND",
  }),
};
