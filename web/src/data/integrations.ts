import type { Bot, Command, Webhook } from "@fanfare/contract";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { withItem, without } from "./lookup.ts";

const COMMANDS_STALE_AFTER_MS = 5 * 60_000;

/** The webhooks of a channel. */
export function useWebhooks(channelId: string): UseQueryResult<Webhook[]> {
  return useAsk("webhook.list", { channelId }, { ...ON_OPEN, select: ({ webhooks }) => webhooks });
}

/** The bots of a group. */
export function useBots(groupId: string): UseQueryResult<Bot[]> {
  return useAsk("bot.list", { groupId }, { ...ON_OPEN, select: ({ bots }) => bots });
}

/** What can be written behind a slash in a channel. */
export function useCommands(channelId: string, { enabled = true } = {}): UseQueryResult<Command[]> {
  return useQuery({
    ...useServerCache().askWhole(
      "command.list",
      { channelId },
      { param: "afterName", next: "nextName", list: "commands" },
    ),
    staleTime: COMMANDS_STALE_AFTER_MS,
    enabled,
    select: ({ commands }) => commands,
  });
}

const webhookAnswered = {
  after(cache: ServerCache, { channelId }: { channelId: string }, { webhook }: { webhook: Webhook }) {
    cache.patchList(
      "webhook.list",
      "webhooks",
      (webhooks) => withItem(webhooks, webhook, ({ id }) => id === webhook.id),
      { channelId },
    );
  },
};
const botAnswered = {
  after(cache: ServerCache, { groupId }: { groupId: string }, { bot }: { bot: Bot }) {
    cache.patchList("bot.list", "bots", (bots) => withItem(bots, bot, ({ id }) => id === bot.id), {
      groupId,
    });
  },
};

export const integrationEffects: Effects = {
  "webhook.create": webhookAnswered,
  "webhook.update": webhookAnswered,
  "webhook.delete": {
    after(cache, { channelId, webhookId }) {
      cache.patchList(
        "webhook.list",
        "webhooks",
        (webhooks) => without(webhooks, ({ id }) => id === webhookId),
        { channelId },
      );
    },
  },
  "bot.create": botAnswered,
  "bot.update": botAnswered,
  "bot.rotateToken": botAnswered,
  "bot.delete": {
    after(cache, { groupId, botId }) {
      cache.patchList("bot.list", "bots", (bots) => without(bots, ({ id }) => id === botId), { groupId });
    },
  },
};
