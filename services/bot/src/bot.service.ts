import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { botActions, tokenActions } from "./actions/bots.ts";
import { commandActions } from "./actions/commands.ts";
import { interactionActions, modalActions } from "./actions/interactions.ts";
import { ownBotActions } from "./actions/own-bot.ts";
import { webhookActions } from "./actions/webhooks.ts";
import { createDependencies } from "./bot.dependencies.ts";
import { Subscribers } from "./callbacks/callbacks.ts";
import { disconnectUnheld } from "./holder.ts";

/** Bots with their callbacks and commands, and incoming webhooks: the actions `bot.*`, `command.*` and `webhook.*`. */
export function createBotService(node: NodeContext): ReturnType<ServiceFactory> {
  const outbound = new Outbound({ userAgent: "Fanfare-Bot", allow: node.config.outboundAllow });
  const dependencies = createDependencies(node, outbound);
  const { bots, callbacks, cursors, interactions, webhooks } = dependencies;
  const subscribers = new Subscribers(bots);
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
