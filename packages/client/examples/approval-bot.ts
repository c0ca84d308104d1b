import { randomUUID } from "node:crypto";
import type { Control } from "@fanfare/contract";
import { createBot, type Bot, type InteractionHandler } from "../src/bots.ts";

// FANFARE_BOT_TOKEN=fbot.… node packages/client/examples/approval-bot.ts [http://127.0.0.1:3000]

/** What an id has after the colon is the bot's own. */
const controlsOf = (requestId: string): Control[] => [
  { kind: "button", id: `approve:${requestId}`, label: "Approve", style: "primary" },
  { kind: "button", id: `reject:${requestId}`, label: "Reject", style: "danger" },
  {
    kind: "select",
    id: "assign",
    label: "Assign to…",
    options: [
      { value: "support", label: "Support" },
      { value: "billing", label: "Billing" },
    ],
  },
];
const [GREEN, RED] = [0x2e_b8_86, 0xa3_02_00];

/** `/approve A new keyboard` asks the channel for approval. The author of a request can't decide it. */
export function createApprovalBot(url: string, token: string): Bot {
  const requests = new Map<string, { title: string; userId: string }>();
  const decide = (decision: string, color: number): InteractionHandler => {
    return ({ controlId, userId }, { update, replyEphemeral }) => {
      const [, requestId = ""] = controlId.split(":");
      const request = requests.get(requestId);
      if (request === undefined)
        return replyEphemeral("I have forgotten this request. Ask again with `/approve`.");
      if (request.userId === userId) return replyEphemeral("Someone else has to decide this.");
      requests.delete(requestId);
      const { title } = request;
      return update({ cards: [{ title, text: `${decision} by <@${userId}>`, color }], controls: [] });
    };
  };
  return createBot({ url, token })
    .command("approve", { description: "Ask for approval" }, ({ text, userId }, reply, replyEphemeral) => {
      const title = text.trim().slice(0, 256);
      if (title === "") return replyEphemeral("Write for example `/approve A new keyboard`.");
      const requestId = randomUUID();
      requests.set(requestId, { title, userId });
      return reply({
        content: `<@${userId}> asks for approval.`,
        cards: [
          {
            title,
            text: "Approve or reject it below.",
            fields: [
              { name: "Status", value: "Open", short: true },
              { name: "Asked by", value: `<@${userId}>`, short: true },
            ],
          },
        ],
        controls: controlsOf(requestId),
      });
    })
    .onInteraction("approve", decide("Approved", GREEN))
    .onInteraction("reject", decide("Rejected", RED))
    .onInteraction("assign", ({ userId, value }, { reply }) =>
      reply(`<@${userId}> assigned this to ${value}.`),
    );
}

if (import.meta.main) {
  const token = process.env["FANFARE_BOT_TOKEN"];
  if (token === undefined) throw new Error("Set FANFARE_BOT_TOKEN to the token returned by bot.create.");
  const bot = await createApprovalBot(process.argv[2] ?? "http://127.0.0.1:3000", token).start();
  console.log(`${bot.info.name} is online. Write /approve A new keyboard in a channel.`);
}
