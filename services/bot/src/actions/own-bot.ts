import { randomUUID } from "node:crypto";
import { isMessageEvent } from "@fanfare/contract";
import { type Actor, type Handlers, matchesHash, orThrow, serviceError } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import type { BotDocument, BotRepository, Callback } from "../bot.repository.ts";
import { SUBSCRIBERS_TTL_MS } from "../constants.ts";
import { beginCursors } from "../callbacks/deliver-changes.ts";
import { disconnectHeldBy, isHeld } from "../holder.ts";
import { parseBotToken, presentBot, removeBot, removeDeliveries } from "./bots.ts";

export function ownBotActions(dependencies: BotDependencies): Handlers {
  const { bots, node, cursors, callbacks, sealer } = dependencies;
  return {
    "bot.me": async ({ actor }) => ({ bot: presentBot(await requireBot(bots, actor)) }),

    "bot.authenticate": async ({ params: { token } }) => {
      const parsed = parseBotToken(token);
      const bot = parsed === null ? null : await bots.find(parsed.botId);
      if (parsed === null || bot === null || !matchesHash(parsed.secret, bot.tokenHash))
        throw serviceError("UNAUTHENTICATED");
      if (!(await hasValidToken(node, bot))) throw serviceError("UNAUTHENTICATED");
      return { userId: bot._id, sessionId: bot.sessionId, scopes: bot.scopes };
    },

    "bot.isAllowed": async ({ params: { userId, scope } }) => {
      const bot = await bots.find(userId);
      return { isAllowed: bot?.scopes.includes(scope) === true && (await hasValidToken(node, bot)) };
    },

    "bot.subscribe": async ({ params: { url, secret, events }, actor }) => {
      const bot = await requireBot(bots, actor);
      const needsMessages = events.some(isMessageEvent);
      if (needsMessages && !bot.scopes.includes("messages.read")) throw serviceError("BOT_NOT_ALLOWED");
      const now = new Date();
      const callback: Callback = {
        id: randomUUID(),
        url,
        sealedSecret: sealer.seal(secret, actor.userId),
        events: [...new Set(events)],
        since: now,
        isDisabled: false,
        failures: 0,
        lastError: null,
      };
      // The start positions are stored first, so that no later message is missed.
      await beginCursors({ node, cursors }, { ...bot, callback });
      const updated = await bots.setCallback(actor.userId, actor.sessionId, callback);
      const replacedId = updated === null ? callback.id : bot.callback?.id;
      if (replacedId !== undefined) await cursors.removeOf(replacedId);
      if (updated === null) throw serviceError("SESSION_REVOKED");
      const knownAt = new Date(now.getTime() + SUBSCRIBERS_TTL_MS);
      await callbacks.notify({ botId: actor.userId, callbackId: callback.id }, knownAt);
      return { bot: presentBot(updated) };
    },

    "bot.unsubscribe": async ({ actor }) => {
      await requireBot(bots, actor);
      const updated = orThrow(await bots.setCallback(actor.userId, actor.sessionId, null), "SESSION_REVOKED");
      await removeDeliveries(dependencies, actor.userId);
      return { bot: presentBot(updated) };
    },

    "bot.disconnectHeldBy": async ({ params: { userId } }) => {
      await disconnectHeldBy(node, bots, userId);
      return {};
    },

    "bot.forgetUser": async ({ params: { userId } }) => {
      await dependencies.webhooks.removeOfUser(userId);
      await removeBot(dependencies, userId);
      return {};
    },
  };
}

async function hasValidToken(node: BotDependencies["node"], bot: BotDocument): Promise<boolean> {
  const { _id: userId, sessionId, revokedAt } = bot;
  if (revokedAt !== undefined || !(await isHeld(node, bot))) return false;
  return (await node.services.user.hasSession({ userId, sessionId })).isAlive;
}

/**
 * The calling bot.
 * @throws {ServiceError} BOTS_ONLY
 */
export async function requireBot(bots: BotRepository, { kind, userId }: Actor): Promise<BotDocument> {
  return orThrow(kind === "bot" ? await bots.find(userId) : null, "BOTS_ONLY");
}
