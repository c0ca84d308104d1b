import { hashSecret, newSecret, type Handler } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import { heldBy } from "../holder.ts";
import { removeBot } from "./bots.ts";

export function revokeTokensOf(dependencies: BotDependencies): Handler<"bot.revokeTokensOf"> {
  const { node, bots, webhooks, cursors, invocations } = dependencies;
  return async ({ params: { userId, deleteBots } }) => {
    await webhooks.removeOfUser(userId);
    for await (const { _id, groupId } of heldBy(bots, userId)) {
      const botId = _id.toHexString();
      if (deleteBots) {
        // The bot's user first: if this is interrupted, the bot is still listed and the repetition removes it.
        await node.call("user.deleteBot", { userId: botId });
        await removeBot(dependencies, botId);
        continue;
      }
      const { sessionId } = await node.call("user.openBotSession", { userId: botId });
      await bots.update(groupId.toHexString(), botId, { tokenHash: hashSecret(newSecret()), sessionId });
      // A callback would keep delivering messages to an address that the holder of the token chose.
      await bots.setCallback(botId, null);
      await cursors.removeOfBot(botId);
      await invocations.removeOfBot(botId);
    }
    return {};
  };
}
