import { serviceError, type Actor } from "@fanfare/kernel";
import type { BotDocument } from "./bot.model.ts";
import type { BotRepository } from "./bot.repository.ts";

/**
 * The bot that calls.
 * @throws {ServiceError} BOTS_ONLY
 */
export async function needBot(bots: BotRepository, { kind, userId }: Actor): Promise<BotDocument> {
  const bot = kind === "bot" ? await bots.find(userId) : null;
  if (bot === null) throw serviceError("BOTS_ONLY");
  return bot;
}
