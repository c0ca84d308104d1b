import { hasPermission } from "@fanfare/contract";

/**
 * Whoever has a bot's token acts as the bot, which may have been given more than others who manage bots have. So only its maker and
 * the group's owner get one, or say what it is good for.
 */
export function mayHoldToken(bot: { createdBy: string }, userId: string, permissions: number): boolean {
  return bot.createdBy === userId || hasPermission(permissions, "ownGroup");
}
