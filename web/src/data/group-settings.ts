import type { AuditEntry, Ban, Invite, Params, WordFilter, Bot, Command, Webhook } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseInfiniteQueryResult, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ON_OPEN, useActionQuery, useServerCache, usePagedQuery } from "./data-context.ts";
import { type Effects, withItem } from "./lookup.ts";
import type { ServerCache } from "./cache.ts";

/** All invites for members with "Manage invites", otherwise the user's own. */
export function useInvites(groupId: string): UseQueryResult<Invite[]> {
  return useActionQuery("invite.list", { groupId }, { ...ON_OPEN, select: ({ invites }) => invites });
}

export function useBans(groupId: string): UseInfiniteQueryResult<Ban[]> {
  return usePagedQuery(
    "group.listBans",
    { groupId, limit: LIMITS.pageMaxItems },
    "bans",
    "afterUserId",
    "nextUserId",
  );
}

const AUDIT_PAGE = 50;

/** Newest first. */
export function useAuditLog(
  groupId: string,
  filter: Pick<Params<"group.auditLog">, "actorId" | "action"> = {},
): UseInfiniteQueryResult<AuditEntry[]> {
  return usePagedQuery(
    "group.auditLog",
    { groupId, limit: AUDIT_PAGE, ...filter },
    "entries",
    "beforeId",
    ({ entries, hasMore }) => (hasMore ? entries.at(-1)?.id : null),
  );
}

export function useWordFilter(groupId: string): UseQueryResult<WordFilter> {
  return useActionQuery(
    "group.getWordFilter",
    { groupId },
    { ...ON_OPEN, select: ({ wordFilter }) => wordFilter },
  );
}

export const moderationEffects: Effects = {
  "invite.create": {
    after(cache, { groupId }, { invite }) {
      cache.patch("invite.list", ({ invites }) => ({ invites: [...invites, invite] }), { groupId });
    },
  },
  "invite.email": {
    after(cache, { groupId }, { invites: sent }) {
      cache.patch("invite.list", ({ invites }) => ({ invites: [...invites, ...sent] }), { groupId });
    },
  },
  "invite.revoke": {
    after(cache, { groupId, code }) {
      cache.remove("invite.list", "invites", (invite) => invite.code === code, { groupId });
    },
  },
  "group.ban": { after: (cache, { groupId }) => cache.refetch("group.listBans", { groupId }) },
  "group.unban": {
    after(cache, { groupId, userId }) {
      cache.remove("group.listBans", "bans", (ban) => ban.userId === userId, {
        groupId,
      });
    },
  },
  "group.setWordFilter": {
    after: (cache, { groupId }, response) => cache.put("group.getWordFilter", { groupId }, response),
  },
};

const COMMANDS_STALE_AFTER_MS = 5 * 60_000;

export function useWebhooks(channelId: string): UseQueryResult<Webhook[]> {
  return useActionQuery("webhook.list", { channelId }, { ...ON_OPEN, select: ({ webhooks }) => webhooks });
}

export function useBots(groupId: string): UseQueryResult<Bot[]> {
  return useActionQuery("bot.list", { groupId }, { ...ON_OPEN, select: ({ bots }) => bots });
}

/** The slash commands of a channel. */
export function useCommands(channelId: string, { enabled = true } = {}): UseQueryResult<Command[]> {
  return useQuery({
    ...useServerCache().allPagesQuery(
      "command.list",
      { channelId },
      { param: "afterName", next: "nextName", list: "commands" },
    ),
    staleTime: COMMANDS_STALE_AFTER_MS,
    enabled,
    select: ({ commands }) => commands,
  });
}

const replaceWebhook = {
  after(cache: ServerCache, { channelId }: { channelId: string }, { webhook }: { webhook: Webhook }) {
    cache.patchList(
      "webhook.list",
      "webhooks",
      (webhooks) => withItem(webhooks, webhook, ({ id }) => id === webhook.id),
      { channelId },
    );
  },
};
const replaceBot = {
  after(cache: ServerCache, { groupId }: { groupId: string }, { bot }: { bot: Bot }) {
    cache.patchList("bot.list", "bots", (bots) => withItem(bots, bot, ({ id }) => id === bot.id), {
      groupId,
    });
  },
};

export const integrationEffects: Effects = {
  "webhook.create": replaceWebhook,
  "webhook.update": replaceWebhook,
  "webhook.delete": {
    after(cache, { channelId, webhookId }) {
      cache.remove("webhook.list", "webhooks", ({ id }) => id === webhookId, { channelId });
    },
  },
  "bot.create": replaceBot,
  "bot.update": replaceBot,
  "bot.rotateToken": replaceBot,
  "bot.delete": {
    after(cache, { groupId, botId }) {
      cache.remove("bot.list", "bots", ({ id }) => id === botId, { groupId });
    },
  },
};
