import type { NodeContext, Sealer } from "@fanfare/kernel";
import type { BotRepository } from "./bot.repository.ts";
import type { Callbacks } from "./callbacks/callbacks.ts";
import type { CursorRepository } from "./callbacks/cursor.repository.ts";
import type { InvocationRepository } from "./callbacks/invocation.repository.ts";
import type { CommandRepository } from "./command.repository.ts";
import type { WebhookRepository } from "./webhook.repository.ts";

/** What the actions of this service work with. */
export interface BotDependencies {
  node: NodeContext;
  bots: BotRepository;
  commands: CommandRepository;
  webhooks: WebhookRepository;
  cursors: CursorRepository;
  invocations: InvocationRepository;
  callbacks: Callbacks;
  /** That secrets of callbacks are sealed with. */
  sealer: Sealer;
}
