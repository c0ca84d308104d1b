import type { NodeContext, Sealer } from "@fanfare/kernel";
import type { PendingInteractions } from "./actions/interactions.ts";
import type { BotRepository } from "./bot.repository.ts";
import type { Callbacks } from "./callbacks/callbacks.ts";
import type { CursorRepository } from "./callbacks/cursor.repository.ts";
import type { InvocationRepository } from "./callbacks/invocation.repository.ts";
import type { CommandRepository } from "./command.repository.ts";
import type { ModalRepository } from "./modal.repository.ts";
import type { WebhookRepository } from "./webhook.repository.ts";

/** Dependencies of the actions of this service. */
export interface BotDependencies {
  node: NodeContext;
  bots: BotRepository;
  commands: CommandRepository;
  webhooks: WebhookRepository;
  cursors: CursorRepository;
  invocations: InvocationRepository;
  modals: ModalRepository;
  callbacks: Callbacks;
  interactions: PendingInteractions;
  /** Seals the secrets of callbacks. */
  sealer: Sealer;
  triggerSealer: Sealer;
  webhookSealer: Sealer;
}
