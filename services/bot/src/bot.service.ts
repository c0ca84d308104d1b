import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { createBot, deleteBot, listBots, rotateToken, updateBot } from "./actions/bots.ts";
import { invoke, list, register, unregister } from "./actions/commands.ts";
import { authenticate, disconnectHeld, forgetUser, me, subscribe, unsubscribe } from "./actions/own-bot.ts";
import { listTokens, revokeToken, revokeTokensOf } from "./actions/tokens.ts";
import { createWebhook, deleteWebhook, execute, listWebhooks, updateWebhook } from "./actions/webhooks.ts";
import type { BotDependencies } from "./bot.dependencies.ts";
import { createBotRepository } from "./bot.repository.ts";
import { createCallbacks, Subscribers } from "./callbacks/callbacks.ts";
import { createCursorRepository } from "./callbacks/cursor.repository.ts";
import { createInvocationRepository } from "./callbacks/invocation.repository.ts";
import { disconnectUnheld } from "./holder.ts";
import { createCommandRepository } from "./command.repository.ts";
import { createWebhookRepository } from "./webhook.repository.ts";

/** Bots, what they are told and asked, and incoming webhooks: the actions `bot.*`, `command.*` and `webhook.*` of the contract. */
export function createBotService(node: NodeContext): ReturnType<ServiceFactory> {
  const { database } = node;
  const outbound = new Outbound({ userAgent: "Fanfare-Bot", allow: node.config.outboundAllow });
  const sealer = node.sealerFor("bot callbacks");
  const repositories = {
    bots: createBotRepository(database),
    commands: createCommandRepository(database),
    webhooks: createWebhookRepository(database),
    cursors: createCursorRepository(database),
    invocations: createInvocationRepository(database),
  };
  const { bots, webhooks, cursors } = repositories;
  const subscribers = new Subscribers(bots);
  const callbacks = createCallbacks({ ...repositories, node, outbound, sealer });
  const dependencies: BotDependencies = { ...repositories, node, callbacks, sealer };
  return defineService(node, {
    name: "bot",
    actions: {
      "bot.create": createBot(dependencies),
      "bot.list": listBots(dependencies),
      "bot.update": updateBot(dependencies),
      "bot.rotateToken": rotateToken(dependencies),
      "bot.delete": deleteBot(dependencies),
      "bot.me": me(dependencies),
      "bot.subscribe": subscribe(dependencies),
      "bot.unsubscribe": unsubscribe(dependencies),
      "bot.authenticate": authenticate(dependencies),
      "bot.disconnectHeldBy": disconnectHeld(dependencies),
      "bot.forgetUser": forgetUser(dependencies),
      "bot.listTokens": listTokens(dependencies),
      "bot.revokeToken": revokeToken(dependencies),
      "bot.revokeTokensOf": revokeTokensOf(dependencies),
      "command.register": register(dependencies),
      "command.unregister": unregister(dependencies),
      "command.list": list(dependencies),
      "command.invoke": invoke(dependencies),
      "webhook.create": createWebhook(dependencies),
      "webhook.list": listWebhooks(dependencies),
      "webhook.update": updateWebhook(dependencies),
      "webhook.delete": deleteWebhook(dependencies),
      "webhook.execute": execute(dependencies),
    },
    events: {
      "access.changed": (change) => disconnectUnheld(node, bots, change),
      async "message.stored"({ groupId }) {
        if (groupId === null) return;
        const subscriptions = await subscribers.of(groupId);
        await Promise.all(subscriptions.map((subscription) => callbacks.notify(subscription)));
      },
      async "channel.emptied"({ channelIds }) {
        await webhooks.removeOfChannels(channelIds);
        await cursors.removeOfChannels(channelIds);
      },
    },
    stopped: () => outbound.close(),
  });
}
