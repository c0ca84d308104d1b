import { type Bot, hasPermission, LIMITS } from "@fanfare/contract";
import {
  type Actor,
  assertBelow,
  type Handlers,
  hashSecret,
  orThrow,
  newSecret,
  serviceError,
} from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import type { BotDocument, Callback } from "../bot.repository.ts";
import { renewSession, heldBy } from "../holder.ts";
import type { WebhookDocument } from "../webhook.repository.ts";

const TOKEN = /^fbot\.([0-9a-f]{24})\.([\w-]{43})$/;

export function botActions(dependencies: BotDependencies): Handlers {
  const { node, bots, commands } = dependencies;
  return {
    "bot.create": async ({ params: { groupId, name, scopes, roleIds }, actor, services }) => {
      assertBelow("botsPerGroup", await bots.countOfGroup(groupId, LIMITS.botsPerGroup));
      const { user } = await node.services.user.createBot({ name });
      const secret = newSecret();
      try {
        await node.services.group.admitBot({ groupId, userId: user.id });
        for (const roleId of roleIds) await services.role.assign({ groupId, roleId, userId: user.id });
        const { sessionId } = await node.services.user.openBotSession({ userId: user.id });
        const bot: BotDocument = {
          _id: user.id,
          groupId,
          name,
          scopes,
          tokenHash: hashSecret(secret),
          sessionId,
          createdBy: actor.userId,
          createdAt: new Date(),
        };
        await bots.insert(bot);
        await record(node, bot, actor, "bot.create", { name, scopes });
        return { bot: presentBot(bot), token: formatBotToken(user.id, secret) };
      } catch (error) {
        await node.services.user.deleteBot({ userId: user.id }).catch(() => undefined);
        throw error;
      }
    },

    "bot.list": async ({ params: { groupId } }) => ({
      bots: (await bots.listOfGroup(groupId, LIMITS.botsPerGroup)).map(presentBot),
    }),

    "bot.update": async ({ params: { groupId, botId, name, scopes }, actor, access }) => {
      const bot = orThrow(await bots.findInGroup(groupId, botId), "BOT_NOT_FOUND");
      if (scopes !== undefined && !canHoldToken(bot, actor.userId, access.permissions))
        throw serviceError("FORBIDDEN");
      const changes = { ...(name !== undefined && { name }), ...(scopes !== undefined && { scopes }) };
      // Open connections still have the old scopes, so they must be closed.
      const stored =
        scopes === undefined
          ? bots.update(groupId, botId, changes)
          : renewSession(node.services, botId, (sessionId) =>
              bots.update(groupId, botId, { ...changes, sessionId }),
            );
      const updated = orThrow(await stored, "BOT_NOT_FOUND");
      if (scopes?.includes("events") === false) await removeDeliveries(dependencies, botId);
      if (scopes?.includes("commands") === false) await commands.removeAllOf(botId);
      if (name !== undefined) await node.services.user.renameBot({ userId: botId, name });
      await record(node, bot, actor, "bot.update", { name, scopes });
      return { bot: presentBot(updated) };
    },

    "bot.rotateToken": async ({ params: { groupId, botId }, actor, access }) => {
      const bot = orThrow(await bots.findInGroup(groupId, botId), "BOT_NOT_FOUND");
      if (!canHoldToken(bot, actor.userId, access.permissions)) throw serviceError("FORBIDDEN");
      const secret = newSecret();
      const changes = { tokenHash: hashSecret(secret), createdBy: actor.userId };
      const stored = await renewSession(node.services, botId, (sessionId) =>
        bots.update(groupId, botId, { ...changes, sessionId }),
      );
      const updated = orThrow(stored, "BOT_NOT_FOUND");
      await removeDeliveries(dependencies, botId);
      await record(node, bot, actor, "bot.rotateToken", {});
      return { bot: presentBot(updated), token: formatBotToken(botId, secret) };
    },

    "bot.delete": async ({ params: { groupId, botId }, actor }) => {
      const bot = orThrow(await bots.findInGroup(groupId, botId), "BOT_NOT_FOUND");
      // The user first: if this is interrupted, the same call can remove the rest.
      await node.services.user.deleteBot({ userId: botId });
      await removeBot(dependencies, botId);
      await record(node, bot, actor, "bot.delete", { name: bot.name });
      return {};
    },
  };
}

/** Removes all data of a bot in this service. Idempotent. */
export async function removeBot(dependencies: BotDependencies, botId: string): Promise<void> {
  const { bots, commands, modals } = dependencies;
  await commands.removeAllOf(botId);
  await removeDeliveries(dependencies, botId);
  await modals.removeOfBot(botId);
  await bots.remove(botId);
}

/** Removes what is waiting for a removed callback. Idempotent. */
export async function removeDeliveries(
  { cursors, invocations }: Pick<BotDependencies, "cursors" | "invocations">,
  botId: string,
): Promise<void> {
  await cursors.removeOfBot(botId);
  await invocations.removeOfBot(botId);
}

async function record(
  node: BotDependencies["node"],
  bot: BotDocument,
  { userId }: Actor,
  action: string,
  after: Record<string, unknown>,
): Promise<void> {
  await node.services.group.recordAudit({
    groupId: bot.groupId,
    actorId: userId,
    action,
    targetId: bot._id,
    after,
  });
}

/**
 * A token acts as the bot, which can have more permissions than other members who manage bots. Therefore only its creator and the
 * group's owner can get one or change its scopes.
 */
function canHoldToken({ createdBy }: BotDocument, userId: string, permissions: number): boolean {
  return createdBy === userId || hasPermission(permissions, "ownGroup");
}

export function presentBot(bot: BotDocument): Bot {
  return {
    id: bot._id,
    groupId: bot.groupId,
    name: bot.name,
    scopes: bot.scopes,
    createdBy: bot.createdBy,
    createdAt: bot.createdAt.toISOString(),
    callback: bot.callback === undefined ? null : presentCallback(bot.callback),
  };
}

function presentCallback({ url, events, isDisabled, failures, lastError }: Callback): Bot["callback"] {
  const state = isDisabled ? "disabled" : failures > 0 ? "failing" : "active";
  return { url, events, state, failures, lastError };
}

function formatBotToken(botId: string, secret: string): string {
  return `fbot.${botId}.${secret}`;
}

/** @returns null when it isn't a bot token */
export function parseBotToken(token: string): { botId: string; secret: string } | null {
  const [, botId, secret] = TOKEN.exec(token) ?? [];
  return botId === undefined || secret === undefined ? null : { botId, secret };
}

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
