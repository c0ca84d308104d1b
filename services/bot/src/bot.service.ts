import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { botActions } from "./actions/bots.ts";
import { commandActions } from "./actions/commands.ts";
import { interactionActions, PendingInteractions } from "./actions/interactions.ts";
import { modalActions } from "./actions/modals.ts";
import { ownBotActions } from "./actions/own-bot.ts";
import { tokenActions } from "./actions/tokens.ts";
import { webhookActions } from "./actions/webhooks.ts";
import type { BotDependencies } from "./bot.dependencies.ts";
import { createBotRepository } from "./bot.repository.ts";
import { createCallbacks, Subscribers } from "./callbacks/callbacks.ts";
import { createCursorRepository } from "./callbacks/cursor.repository.ts";
import { createInvocationRepository } from "./callbacks/invocation.repository.ts";
import { disconnectUnheld } from "./holder.ts";
import { createCommandRepository } from "./command.repository.ts";
import { createModalRepository } from "./modal.repository.ts";
import { createWebhookRepository } from "./webhook.repository.ts";

/** Bots with their callbacks and commands, and incoming webhooks: the actions `bot.*`, `command.*` and `webhook.*`. */
export function createBotService(node: NodeContext): ReturnType<ServiceFactory> {
  const { database } = node;
  const outbound = new Outbound({ userAgent: "Fanfare-Bot", allow: node.config.outboundAllow });
  const sealer = node.sealerFor("bot callbacks");
  const triggerSealer = node.sealerFor("bot triggers");
  const webhookSealer = node.sealerFor("webhooks");
  const repositories = {
    bots: createBotRepository(database),
    commands: createCommandRepository(database),
    webhooks: createWebhookRepository(database),
    cursors: createCursorRepository(database),
    invocations: createInvocationRepository(database),
    modals: createModalRepository(database),
  };
  const { bots, webhooks, cursors } = repositories;
  const subscribers = new Subscribers(bots);
  const callbacks = createCallbacks({ ...repositories, node, outbound, sealer });
  const interactions = new PendingInteractions();
  const dependencies: BotDependencies = {
    ...repositories,
    node,
    callbacks,
    interactions,
    sealer,
    triggerSealer,
    webhookSealer,
  };
  return defineService(node, {
    name: "bot",
    actions: {
      ...botActions(dependencies),
      ...commandActions(dependencies),
      ...interactionActions(dependencies),
      ...modalActions(dependencies),
      ...ownBotActions(dependencies),
      ...tokenActions(dependencies),
      ...webhookActions(dependencies),
    },
    events: {
      "access.changed": (change) => disconnectUnheld(node, bots, change),
      "interaction.acknowledged": (acknowledged) => interactions.acknowledge(acknowledged),
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
