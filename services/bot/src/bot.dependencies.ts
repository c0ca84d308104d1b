import type { NodeContext } from "@fanfare/kernel";
import type { Outbound } from "@fanfare/outbound";
import { PendingInteractions } from "./actions/interactions.ts";
import { createBotRepository } from "./bot.repository.ts";
import { createCallbacks } from "./callbacks/callbacks.ts";
import { createCursorRepository, createInvocationRepository } from "./callbacks/delivery.repository.ts";
import { createCommandRepository } from "./command.repository.ts";
import { createModalRepository } from "./modal.repository.ts";
import { createWebhookRepository } from "./webhook.repository.ts";

export type BotDependencies = ReturnType<typeof createDependencies>;

/** What the actions of this service need. */
export function createDependencies(node: NodeContext, outbound: Outbound) {
  const { database } = node;
  const repositories = {
    bots: createBotRepository(database),
    commands: createCommandRepository(database),
    webhooks: createWebhookRepository(database),
    cursors: createCursorRepository(database),
    invocations: createInvocationRepository(database),
    modals: createModalRepository(database),
  };
  /** Seals the secrets of callbacks. */
  const sealer = node.sealerFor("bot callbacks");
  return {
    ...repositories,
    node,
    callbacks: createCallbacks({ ...repositories, node, outbound, sealer }),
    interactions: new PendingInteractions(),
    sealer,
    triggerSealer: node.sealerFor("bot triggers"),
    webhookSealer: node.sealerFor("webhooks"),
  };
}
