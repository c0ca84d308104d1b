import { hashSecret, newSecret, serviceError, type Handlers } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import type { BotDocument } from "../bot.repository.ts";
import { heldBy } from "../holder.ts";
import type { WebhookDocument } from "../webhook.repository.ts";
import { removeBot, removeDeliveries } from "./bots.ts";

type Listed = Pick<BotDocument | WebhookDocument, "_id" | "name" | "createdAt">;
const HIGHEST_ID = "f".repeat(24);

export function tokenActions(dependencies: BotDependencies): Handlers {
  const { node, bots, webhooks } = dependencies;
  return {
    "bot.revokeTokensOf": async ({ params: { userId, deleteBots } }) => {
      await webhooks.removeOfUser(userId);
      for await (const bot of heldBy(bots, userId)) {
        if (!deleteBots) {
          await revokeBotToken(dependencies, bot);
          continue;
        }
        // The bot's user first: if this is interrupted, the bot is still listed and a retry removes it.
        await node.services.user.deleteBot({ userId: bot._id });
        await removeBot(dependencies, bot._id);
      }
      return {};
    },

    "bot.listTokens": async ({ params: { before = HIGHEST_ID, limit }, actor: { userId } }) => {
      const [ofBots, ofWebhooks] = await Promise.all([
        bots.listNewestHeldBy(userId, limit + 1, before),
        webhooks.listNewestOfUser(userId, limit + 1, before),
      ]);
      const present =
        (kind: "bot" | "webhook") =>
        ({ _id, name, createdAt }: Listed) => ({
          kind,
          id: _id,
          name,
          createdAt: createdAt.toISOString(),
        });
      // Ids start with the time of creation.
      const found = [...ofBots.map(present("bot")), ...ofWebhooks.map(present("webhook"))].toSorted((a, b) =>
        b.id < a.id ? -1 : 1,
      );
      const tokens = found.slice(0, limit);
      return { tokens, nextBefore: found.length > limit ? tokens.at(-1)!.id : null };
    },

    "bot.revokeToken": async ({ params: { kind, id }, actor: { userId } }) => {
      if (kind === "webhook") {
        if (!(await webhooks.removeOneOfUser(userId, id))) throw serviceError("WEBHOOK_NOT_FOUND");
        return {};
      }
      const bot = await bots.find(id);
      if (bot?.createdBy !== userId) throw serviceError("BOT_NOT_FOUND");
      await revokeBotToken(dependencies, bot);
      return {};
    },
  };
}

async function revokeBotToken(dependencies: BotDependencies, { _id: botId }: BotDocument): Promise<void> {
  const { node, bots } = dependencies;
  const { sessionId } = await node.services.user.openBotSession({ userId: botId });
  await bots.revokeToken(botId, { tokenHash: hashSecret(newSecret()), sessionId });
  await removeDeliveries(dependencies, botId);
}
