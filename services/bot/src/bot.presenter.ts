import type { Bot } from "@fanfare/contract";
import type { BotDocument, Callback } from "./bot.model.ts";

export function presentBot(bot: BotDocument): Bot {
  return {
    id: bot._id.toHexString(),
    groupId: bot.groupId.toHexString(),
    name: bot.name,
    scopes: bot.scopes,
    createdBy: bot.createdBy.toHexString(),
    createdAt: bot.createdAt.toISOString(),
    callback: bot.callback === undefined ? null : presentCallback(bot.callback),
  };
}

function presentCallback({ url, events, isDisabled, failures, lastError }: Callback): Bot["callback"] {
  const state = isDisabled ? "disabled" : failures > 0 ? "failing" : "active";
  return { url, events, state, failures, lastError };
}
